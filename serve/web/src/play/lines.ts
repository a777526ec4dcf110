// Lines of play that a search expects. The back end computes the positions of a line.
import type { Analysis, Backend, Move, Position } from "../backend/backend";
import { animationOf, type Outside } from "./outside";

/** A line that is being played on the board. */
export interface Preview {
	positions: Position[];
	moves: string[];
	at: number;
}

const most = 8; // largest number of moves of a line

/** Plays a line that a search expects on the board, one move at a time. */
export class LinePlayer {
	shown?: Preview;
	private at?: Position;
	private move?: string;
	private timer = 0;

	constructor(private backend: Backend, private outside: Outside, private changed: () => void) {}

	/**
	 * Plays the line that follows a move in a position, unless that line is already playing. If
	 * there is no move, it plays nothing.
	 */
	play(at: Position | undefined, move: Move | undefined) {
		if (at === this.at && move?.move === this.move) return;
		clearTimeout(this.timer);
		[this.at, this.move, this.shown] = [at, move?.move, undefined];
		const moves = move?.line.slice(0, most);
		if (at && moves?.length) {
			const here = () => this.at === at && this.move === move!.move;
			this.backend.follow(at.game, at.position, moves).then((positions) => {
				// Wait, so that no line starts when the pointer only passes over the move.
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

// pause in milliseconds: a line must be the best one for this long before its positions are
// requested.
const pause = 400;

/** The positions along the best line of a search. */
export class BestLine {
	private known?: Position[];
	private at?: Position;
	private text = "";
	private timer = 0;

	constructor(private backend: Backend, private changed: () => void) {}

	/** Requests the positions of the best line for the position on the board. */
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

	/** Returns the positions of the last requested line if it begins at the given position. */
	positions(now: Position | undefined): Position[] | undefined {
		return this.known?.[0].position === now?.position ? this.known : undefined;
	}

	close() {
		this.follow(undefined, undefined);
	}
}

/**
 * For a move after which a player is proven to win, and whose line reaches the end of the game,
 * this class counts the winner's moves in the line.
 */
export class Ends {
	private known = new Map<string, number | undefined>();

	constructor(private backend: Backend, private changed: () => void) {}

	of(now: Position, m: Move): number | undefined {
		return this.known.get(key(now, m));
	}

	/**
	 * Takes the best moves in an analysis of the position on the board. For those that are proven
	 * to win or lose, it computes the number of moves until the win.
	 */
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
