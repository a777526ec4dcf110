// The state of the page for play and analysis, and values computed from it.
import type { Analysis, Backend, Model, Move, Player, Position } from "../backend/backend";
import { keptFindings } from "../learn/store";
import { Attempt } from "./attempt";
import { BestLine, Ends, LinePlayer } from "./lines";
import type { Outside } from "./outside";
import { players, taskOf } from "./search";
import { Searcher, type Searched } from "./searcher";
import { keptSettings, type Settings } from "./settings";
import { Table } from "./table";

/** What the page has available: the back end, its models, and the games. */
export interface Offer {
	backend: Backend;
	models: Model[];
	games: string[];
}

export abstract class State implements Searched {
	readonly table: Table;
	readonly search: Searcher;
	readonly attempt: Attempt; // the user's attempt to find a better move than a mistake
	readonly settings: Settings;
	thinking = true; // whether a search runs in analysis mode
	hinted?: Position;
	// review is the index of the position that the review has reached, or undefined if there is no
	// review.
	review?: number;
	notice = "";
	turned = false; // whether the page shows the chances of the other side
	retried?: Position; // position in which the user looks for a better move
	protected looked?: { at?: Position; move: Move };
	protected asked = new URLSearchParams(); // query part of the page's address
	protected best: BestLine;
	protected ends: Ends;
	protected line: LinePlayer;
	private judged = keptFindings(); // search results by judge (see below) and position

	constructor(readonly offer: Offer, linked: boolean, protected outside: Outside) {
		const { backend, games } = offer, changed = () => this.changed();
		this.settings = keptSettings(linked);
		this.table = new Table(backend, games, outside, changed);
		this.attempt = new Attempt(backend, outside, changed);
		this.best = new BestLine(backend, changed);
		this.ends = new Ends(backend, changed);
		this.line = new LinePlayer(backend, outside, changed);
		this.search = new Searcher(backend, this, changed);
	}

	/** Called when a part of the state has changed. */
	protected abstract changed(): void;
	abstract found(p: Position, a: Analysis): void;
	abstract done(a: Analysis): void;
	abstract failed(e: unknown): void;

	get now() {
		return this.table.now;
	}

	/** The bots of the game. */
	get bots() {
		return this.offer.models.filter((m) => m.game === this.now?.game);
	}

	/**
	 * The id of the bot that plays and evaluates moves. If the server no longer has the chosen bot,
	 * this is the first bot of the game.
	 */
	get model(): string | undefined {
		const kept = this.now && this.settings.models[this.now.game];
		return kept && (kept === this.asked.get("model") || this.bots.some((m) => m.id === kept)) ? kept : this.bots[0]?.id;
	}

	get bot() {
		return this.offer.models.find((m) => m.id === this.model);
	}

	/**
	 * Whether some bot plays this game. An exported bot may have an empty id, so an empty id does
	 * not mean that there is none.
	 */
	get known() {
		return this.bots.length > 0 || !!this.model;
	}

	/**
	 * Identifies the game and the model that evaluates its moves. The text includes the model's
	 * description, because the best model of a run can change while its id stays the same.
	 */
	protected get judge() {
		return `${this.now?.game} ${this.model} ${this.bot?.about}`;
	}

	/** The search results of the current judge (a game and a model), by position. */
	get findings() {
		const { judge } = this;
		if (!this.judged.has(judge)) this.judged.set(judge, new Map());
		return this.judged.get(judge)!;
	}

	get ongoing() {
		return this.now?.outcome === "ongoing";
	}

	/** Whether the game is being played and can continue from this position. */
	get playing() {
		return this.settings.mode === "play" && this.table.atEnd;
	}

	get botMoves() {
		return this.known && this.playing && this.ongoing && this.settings.seats[this.now!.to_move] === "bot" &&
			this.review === undefined;
	}

	get personMoves() {
		return this.ongoing && !this.botMoves && this.review === undefined;
	}

	/** Whether a hint is shown. */
	get hints() {
		return !!this.now && this.hinted === this.now;
	}

	get canHint() {
		return this.settings.mode === "play" && this.personMoves && this.known;
	}

	get persons() {
		return players.filter((p) => this.settings.seats[p] === "person");
	}

	/**
	 * The player whose chances are shown: the human's side if only one human plays, and otherwise
	 * the player First. If turned is set, it is that player's opponent.
	 */
	get reader(): Player {
		const { mode, seats } = this.settings;
		const second = mode === "play" && seats.second === "person" && seats.first === "bot";
		return second === this.turned ? "first" : "second";
	}

	/** The position under review. */
	protected get reviewed() {
		return this.review === undefined ? undefined : this.table.game?.positions[this.review];
	}

	/** The task of finding a better move than the mistake that was played. */
	get task() {
		const { game, now } = this.table;
		return game && now && this.retried === now ? taskOf(now, game.positions[game.at + 1], this.findings) : undefined;
	}

	/** The move whose line the user wants to see. */
	get looking() {
		return this.looked?.at === this.now ? this.looked?.move : undefined;
	}

	/** Whether there is a task without an answer yet. */
	get guessing() {
		return !!this.task && !this.attempt.over;
	}

	/** The analysis of the position on the board. */
	get analysis() {
		return this.reviewed ? undefined : this.search.analysis(this.now);
	}

	/** Whether the page shows the moves of the search. */
	get shows() {
		return !this.task && this.settings.mode === "analyse" && !this.botMoves || this.hints;
	}

	/** The line that the board shows instead of the current position. */
	get preview() {
		return this.task ? this.attempt.line : this.line.shown;
	}

	get bestLine() {
		return this.best.positions(this.now);
	}

	/** Returns the number of moves until a proven move wins or loses, if this number is known. */
	endOf(m: Move): number | undefined {
		return this.now && this.ends.of(this.now, m);
	}
}
