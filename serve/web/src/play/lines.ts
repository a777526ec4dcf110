// Lines of a search: the back end knows the positions along them.
import type { Analysis, Backend, Move, Position } from "../backend/backend";
import { animationOf, type Outside } from "./outside";

/** A line on the board, of which some moves have been played. */
export interface Preview {
	positions: Position[];
	moves: string[];
	at: number;
}

const most = 8; // moves played or shown of a line

/** Plays a line of the search on the board, a move at a time. */
export class LinePlayer {
	shown?: Preview;
	private at?: Position;
	private move?: string;
	private timer = 0;

	constructor(private backend: Backend, private outside: Outside, private changed: () => void) {}

	/** Plays the line of a move in a position, unless it already does; without a move nothing. */
	play(at: Position | undefined, move: Move | undefined) {
		if (at === this.at && move?.move === this.move) return;
		clearTimeout(this.timer);
		[this.at, this.move, this.shown] = [at, move?.move, undefined];
		const moves = move?.line.slice(0, most);
		if (at && moves?.length) {
			const here = () => this.at === at && this.move === move!.move;
			this.backend.follow(at.game, at.position, moves).then((positions) => {
				// A pointer that only passes starts nothing.
				if (here()) this.wait(120, { positions, moves, at: this.outside.still() ? moves.length : 1 });
			}, () => {/* the position went away meanwhile */});
		}
	}

	private wait(ms: number, next: Preview) {
		this.timer = setTimeout(() => {
			const { positions, moves, at } = this.shown = next;
			if (at < moves.length) this.wait(700 + animationOf(positions[at]), { positions, moves, at: at + 1 });
			this.changed();
		}, ms);
	}

	close() {
		this.play(undefined, undefined);
	}
}

const pause = 400; // ms for which the rest of a line has to stay the best before it is followed

/** The positions along the best line of a search. */
export class BestLine {
	private known?: Position[];
	private at?: Position;
	private text = "";
	private timer = 0;

	constructor(private backend: Backend, private changed: () => void) {}

	/** Follows the best line of a search of the position that is looked at. */
	follow(now: Position | undefined, analysis: Analysis | undefined) {
		const moves = analysis?.moves[0]?.line ?? [], text = moves.join(" ");
		if (now === this.at && text === this.text) return;
		clearTimeout(this.timer);
		[this.at, this.text] = [now, text];
		if (!now || !text) return;
		const follow = () =>
			this.backend.follow(now.game, now.position, moves).then((positions) => {
				if (this.at !== now || this.text !== text) return;
				this.known = positions;
				this.changed();
			}, () => {/* the position went away meanwhile */});
		const begun = this.positions(now)?.[1]?.move === moves[0];
		this.timer = setTimeout(follow, begun ? pause : 0);
	}

	/** The positions along the line that was followed last, if it begins at a position. */
	positions(now: Position | undefined): Position[] | undefined {
		return this.known?.[0].position === now?.position ? this.known : undefined;
	}

	close() {
		this.follow(undefined, undefined);
	}
}

/** In how many of their own moves the winner of a proven move wins, where its line goes to the end of the game. */
export class Ends {
	private known = new Map<string, number | undefined>();

	constructor(private backend: Backend, private changed: () => void) {}

	of(now: Position, m: Move): number | undefined {
		return this.known.get(key(now, m));
	}

	/** Finds out about the best moves of an analysis of the position that is looked at. */
	find(now: Position | undefined, analysis: Analysis | undefined) {
		for (const m of analysis?.moves.slice(0, most) ?? []) {
			if (!now || !m.proven || m.proven === "draw" || this.known.has(key(now, m))) continue;
			this.known.set(key(now, m), undefined);
			this.backend.follow(now.game, now.position, m.line).then((positions) => {
				if (positions[positions.length - 1].outcome !== m.proven) return;
				this.known.set(key(now, m), positions.slice(0, -1).filter((p) => p.to_move === m.proven).length);
				this.changed();
			}, () => {/* it stays unknown */});
		}
	}
}

const key = (now: Position, m: Move) => `${now.game} ${now.position} ${m.line.join(" ")}`;
