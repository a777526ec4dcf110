// What the pages ask for, and the forms of the answers. There are two back ends: the
// WebAssembly worker of a static export (worker.ts) and the server of "dojo serve"
// (server.ts). Values are seen from First's side, in [-1, 1], everywhere.

export type Player = "first" | "second";
export type Outcome = "ongoing" | "draw" | Player;

/** A position, as package analysis writes it. */
export interface Position {
	game: string; // may have options: "wallonitama:turns=20"
	position: string; // in the game's notation
	to_move: Player;
	outcome: Outcome;
	legal: string[]; // names of actions, none when the game is over
	score?: [number, number]; // of first and second
	sketch?: unknown; // what its board needs to draw it; see boards/
	drawing?: string; // text, on several lines

	move?: string; // the action that led here
	stages?: unknown; // what happened in that action, step by step; see boards/
}

/** One legal action, as a search sees it. */
export interface Move {
	move: string;
	visits: number;
	prior: number; // the network's probability
	value: number; // 0 if unvisited
	line?: string[]; // the best play after and with this action
	proven?: Exclude<Outcome, "ongoing">; // how the game ends after it under best play, if that is known
}

/** What a search has found so far. Moves are all legal ones, the best first. */
export interface Analysis {
	position: string;
	visits: number; // of the root, those of earlier searches included
	value: number;
	moves: Move[];
	lead?: number; // by how many points the network expects first to be ahead at the end
	simulations_per_second?: number;
	done: boolean; // nothing more will come
}

export interface Query {
	game: string;
	position: string;
	moves?: string[]; // played from there before the search
	model?: string; // Model.id; without one the first model of the game
	simulations?: number; // of the root; without them or time_ms until the signal
	time_ms?: number;
}

/** Something that can think about a game. */
export interface Model {
	id: string;
	name: string;
	game: string;
	about?: string; // one line: hash, network, run
	run?: string; // the run that it is from
	usual?: boolean; // the game has a usual start, and deals others
	title?: { [language: string]: string }; // what people call the game
	kernels?: string; // what the browser computes with: "relaxed", "simd" or "portable"
}

/** What site.json says. */
export interface Site {
	backend: "worker" | "server";
	pages: string[]; // of "play", "learn", "rules", "runs", "games", "watch"
	keeps?: boolean; // the server keeps finished games
	provenance?: string[]; // lines on where all this is from
}

export interface Backend {
	readonly site: Site;

	/** The models; the games that can be played are theirs. */
	models(): Promise<Model[]>;

	/** The rules of a game for players, in a language, as Markdown. */
	rules(game: string, language: string): Promise<string>;

	/** The first position of a game: the usual one if it has one and that is wanted, else what the seed deals. */
	start(game: string, seed: number, usual: boolean): Promise<Position>;

	/** A position, and the one after each of the moves: moves.length + 1 of them. An Error names what is wrong. */
	follow(game: string, position: string, moves: string[]): Promise<Position[]>;

	/** The positions of a game that was saved as text. */
	read(game: string, text: string): Promise<Position[]>;

	/** A game as text that read understands. */
	write(game: string, position: string, moves: string[]): Promise<string>;

	/** Keeps a game that is over, where the site says so. */
	keep?(game: string, position: string, moves: string[]): Promise<unknown>;

	/**
	 * Searches; each gets what is known so far several times a second. It ends early, with what there is, when the signal
	 * aborts.
	 */
	analyse(query: Query, each: (a: Analysis) => void, signal: AbortSignal): Promise<Analysis>;
}

/** What a back end answers from package play (question.go), asked by name with an object. */
export function questions(
	ask: (name: string, question: object) => Promise<unknown>,
): Pick<Backend, "rules" | "start" | "follow" | "read" | "write"> {
	return { rules: (game, language) => ask("rules", { game, language }) as Promise<string>,
		start: (game, seed, usual) => ask("start", { game, seed, usual }) as Promise<Position>,
		follow: (game, position, moves) => ask("follow", { game, position, moves }) as Promise<Position[]>,
		read: (game, text) => ask("read", { game, text }) as Promise<Position[]>,
		write: (game, position, moves) => ask("write", { game, position, moves }) as Promise<string> };
}
