// The state of the page on which a game is played and analysed, and what follows from it.
import type { Analysis, Backend, Model, Move, Player, Position } from "../backend/backend";
import { keptFindings } from "../learn/store";
import { Attempt } from "./attempt";
import { BestLine, Ends, LinePlayer } from "./lines";
import type { Outside } from "./outside";
import { players, taskOf } from "./search";
import { Searcher, type Searched } from "./searcher";
import { keptSettings, type Settings } from "./settings";
import { Table } from "./table";

/** What there is to play with: the back end, its models, and the games that are offered. */
export interface Offer {
	backend: Backend;
	models: Model[];
	games: string[];
}

export abstract class State implements Searched {
	readonly table: Table;
	readonly search: Searcher;
	readonly attempt: Attempt; // at a better move than a mistake
	readonly settings: Settings;
	thinking = true; // in mode analyse
	hinted?: Position;
	review?: number; // the position that a review judges, by its place in the line
	notice = "";
	turned = false; // chances are told from the other side
	retried?: Position; // before a mistake
	protected looked?: { at?: Position; move: Move };
	protected asked = new URLSearchParams(); // by the address
	protected best: BestLine;
	protected ends: Ends;
	protected line: LinePlayer;
	private judged = keptFindings(); // by judge and position

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

	/** Some part of the state has changed. */
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

	/** The id of the bot that plays and judges. By now the server may have others than those that were chosen. */
	get model(): string | undefined {
		const kept = this.now && this.settings.models[this.now.game];
		return kept && (kept === this.asked.get("model") || this.bots.some((m) => m.id === kept)) ? kept : this.bots[0]?.id;
	}

	get bot() {
		return this.offer.models.find((m) => m.id === this.model);
	}

	/** Whether some bot plays this game. The id of one in a browser may be empty. */
	get known() {
		return this.bots.length > 0 || !!this.model;
	}

	/** The game and the model that judges it. The best of a run changes, its id does not. */
	protected get judge() {
		return `${this.now?.game} ${this.model} ${this.bot?.about}`;
	}

	/** What the judge has found, by position. */
	get findings() {
		const { judge } = this;
		if (!this.judged.has(judge)) this.judged.set(judge, new Map());
		return this.judged.get(judge)!;
	}

	get ongoing() {
		return this.now?.outcome === "ongoing";
	}

	/** Whether the game goes on from here, by persons and bots. */
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

	/** From whose side chances are told: the person's who plays alone, else the first's, or the other way round. */
	get reader(): Player {
		const { mode, seats } = this.settings;
		const second = mode === "play" && seats.second === "person" && seats.first === "bot";
		return second === this.turned ? "first" : "second";
	}

	/** The position that a review judges. */
	protected get reviewed() {
		return this.review === undefined ? undefined : this.table.game?.positions[this.review];
	}

	/** The move that is to be found in place of a mistake. */
	get task() {
		const { game, now } = this.table;
		return game && now && this.retried === now ? taskOf(now, game.positions[game.at + 1], this.findings) : undefined;
	}

	/** The move whose line is asked for. */
	get looking() {
		return this.looked?.at === this.now ? this.looked?.move : undefined;
	}

	/** Whether there is a task whose answer is not known yet. */
	get guessing() {
		return !!this.task && !this.attempt.over;
	}

	/** What the search has found of the position that is looked at. */
	get analysis() {
		return this.reviewed ? undefined : this.search.analysis(this.now);
	}

	/** Whether the search's moves are shown. */
	get shows() {
		return !this.task && this.settings.mode === "analyse" && !this.botMoves || this.hints;
	}

	/** The line that is on the board in place of the position. */
	get preview() {
		return this.task ? this.attempt.line : this.line.shown;
	}

	get bestLine() {
		return this.best.positions(this.now);
	}

	/** In how many moves a proven one wins or loses, if that is known. */
	endOf(m: Move): number | undefined {
		return this.now && this.ends.of(this.now, m);
	}
}
