// The controller of the page for play and analysis: what the user can do, and what happens
// automatically, such as the bot's move.
import type { Analysis, Move, Position } from "../backend/backend";
import { keepFinding, keepGame, keepMistakes } from "../learn/store";
import { say } from "../words";
import { levels } from "./levels";
import type { Outside } from "./outside";
import { chosen, findingOf, nextLevel } from "./search";
import type { Wanted } from "./searcher";
import { keepSettings, type Settings } from "./settings";
import { State, type Offer } from "./state";
import { played } from "./table";
import type { Node } from "./tree";

const judging = 200; // minimum number of simulations for a review or a hint

export class Controller extends State {
	private shown?: Position; // position that was shown last
	private since = 0; // when that position appeared on the board
	private settling = false;
	private reviewedGame?: Node; // root of the game that is reviewed
	private closed = false;

	constructor(offer: Offer, linked: boolean, outside: Outside, private redraw: () => void) {
		super(offer, linked, outside);
	}

	/** Opens the game, the position and the bot that an address names. */
	open(query: URLSearchParams) {
		this.asked = query;
		const asked = askedModel(query), game = this.offer.models.find((m) => m.id === asked)?.game ?? query.get("game");
		if (game && asked) this.set({ models: { ...this.settings.models, [game]: asked } });
		void this.table.open(query);
	}

	close() {
		this.closed = true;
		for (const part of [this.table, this.search, this.attempt, this.best, this.line]) part.close();
	}

	set(changes: Partial<Settings>) {
		Object.assign(this.settings, changes);
		keepSettings(changes);
		this.changed();
	}

	/** Changes state that is not stored. */
	put(changes: Partial<Pick<State, "thinking" | "turned" | "retried" | "notice">>) {
		Object.assign(this, changes);
		this.changed();
	}

	act(action: string) {
		this.hinted = undefined;
		void this.table.act(action);
	}

	/** Begins a new game. */
	fresh(game: string, dealt = false) {
		this.hinted = this.review = undefined;
		void this.table.fresh(game, dealt);
	}

	/** Goes to the previous (step −1) or next (step 1) position in which a human is to move. */
	toPerson(step: 1 | -1) {
		const { game } = this.table, { mode, seats } = this.settings;
		if (!game) return;
		if (step < 0 && game.at === 0) return this.table.restore();
		const { positions } = game, last = positions.length - 1;
		const stops = (p: Position) => mode === "analyse" || seats[p.to_move] === "person" || p.outcome !== "ongoing";
		let at = game.at + step;
		while (at > 0 && at < last && !stops(positions[at])) at += step;
		this.table.go(Math.max(0, Math.min(last, at)));
	}

	/** Replaces the last move by its next alternative. */
	beside() {
		const { game } = this.table;
		if (game) this.table.goTo(beside(game.line[game.at]));
	}

	hint(on: boolean) {
		this.hinted = on ? this.now : undefined;
		this.changed();
	}

	/** Starts or stops a review of the game. */
	reviewGame(on: boolean) {
		if (on) this.hinted = undefined;
		this.review = on ? 0 : undefined;
		this.reviewedGame = this.table.game?.root;
		this.changed();
	}

	/** Asks the user for a better move in a position of the current line. */
	retry(at: number) {
		this.hinted = undefined;
		this.retried = this.table.game!.positions[at];
		this.table.go(at);
		this.changed();
	}

	/** Shows the expected line of play after a move on the board. */
	look(move: Move | undefined) {
		this.looked = move && { at: this.now, move };
		this.changed();
	}

	// The searcher calls the methods below.

	found(p: Position, a: Analysis) {
		const known = this.findings;
		if ((known.get(p.position)?.visits ?? 0) > a.visits || !a.moves.length) return;
		const finding = findingOf(p, a);
		known.set(p.position, finding);
		keepFinding(this.judge, p.position, finding);
	}

	done(a: Analysis) {
		if (this.review !== undefined) this.review++;
		else if (this.botMoves) {
			// The bot replies only after the board has finished showing the previous move.
			const at = this.now!, action = chosen(a, at, this.settings.level);
			this.outside.whenShown(at, this.since, () => {
				if (!this.closed && !this.table.busy && this.now === at && this.botMoves) void this.table.act(action, true);
			});
		}
	}

	failed(e: unknown) {
		this.review = undefined;
		this.table.report(e);
	}

	// Automatic actions.

	protected changed() {
		if (this.closed || this.settling) return;
		this.settling = true;
		try {
			this.settle();
		} finally {
			this.settling = false;
			this.redraw();
		}
	}

	private settle() {
		const { now } = this;
		if (now !== this.shown) {
			[this.shown, this.since, this.notice] = [now, this.outside.now(), ""];
			this.keepFinished();
		}
		this.goOn();
		this.attempt.pose(now, this.task, this.model);
		const purpose = this.reviewed ? "review" : this.botMoves ? "move" : "look";
		this.search.seek(this.reviewed ?? now, this.model, this.wanted, purpose);
		this.best.follow(now, this.shows ? this.analysis : undefined);
		this.ends.find(now, this.analysis);
		this.line.play(now, this.looking);
	}

	// Only one search runs at a time. The order of priority is: the review, the bot's move, the
	// analysis, a hint.
	private get wanted(): Wanted {
		const { mode, level, announce } = this.settings, { simulations } = levels[level];
		if (this.guessing || !this.known) return "none";
		if (this.reviewed) return Math.max(judging, simulations);
		if (this.botMoves) return simulations;
		if (mode === "analyse" && this.thinking) return "analysis";
		const judged = this.hints || announce && this.playing;
		return this.personMoves && judged ? Math.max(judging, simulations) : "none";
	}

	// goOn moves the review to the next position that needs a search; positions where the game is
	// over need none. After the last position it ends the review.
	private goOn() {
		const { game } = this.table;
		if (game?.root !== this.reviewedGame) this.review = undefined;
		while (game && this.review !== undefined) {
			if (this.review >= game.positions.length) {
				this.review = undefined;
				const n = keepMistakes(game.positions, this.findings, this.persons);
				if (n > 0) this.notice = say("New puzzles from your mistakes: {0}. Open the page Learn to practise.", n);
			} else if (game.positions[this.review].outcome === "ongoing") return;
			else this.review++;
		}
	}

	// keepFinished stores a game that a human has finished, and adapts the level of the bot.
	private keepFinished() {
		const { game, now } = this.table, { persons, settings: { level, row, adapt } } = this, { backend } = this.offer;
		if (!game || !now || this.ongoing || !this.playing || game.at === 0 || !keepGame(game, persons)) return;
		if (backend.site.keeps) backend.keep?.(...played(game)).catch((e) => this.table.report(e));
		if (!adapt || persons.length !== 1 || now.outcome === "draw") return;
		const next = nextLevel(level, row, now.outcome === persons[0]);
		this.set(next);
		if (next.level !== level) this.notice = say("The level is now {0}.", next.level + 1);
	}
}

/** Returns the id of the model that an address asks for, or "" if it asks for none. */
export function askedModel(query: URLSearchParams): string {
	return query.get("model") ?? (query.has("run") ? `${query.get("run")}/best` : "");
}

// beside returns the next alternative to the move that led to a node.
function beside(node: Node): Node {
	const all = node.parent?.children ?? [node];
	return all[(all.indexOf(node) + 1) % all.length];
}
