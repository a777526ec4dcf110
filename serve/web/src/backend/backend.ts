// The interface between the pages and a back end, which answers their questions. There are two back
// ends: the WebAssembly worker of a static export (worker.ts) and the server of "dojo serve"
// (server.ts). All values are from the side of the player First, in [-1, 1].
import type { Growth, Model, Position, Query as AnyQuery, Question, Site } from "../wire";

export type { Growth as Analysis, Model, Move, Outcome, Player, Position, Site } from "../wire";

/** A request to search the position after the given moves, which begin at `position`. */
export type Query = AnyQuery & { position: string };

export interface Backend {
	readonly site: Site;

	/** Lists the models. Their games are the games that can be played. */
	models(): Promise<Model[]>;

	/** Returns the rules of a game for players as Markdown, in the given language. */
	rules(game: string, language: string): Promise<string>;

	/**
	 * Returns the first position of a new game. If usual is true and the game has a standard start,
	 * this is the standard start. Otherwise it is a random start, drawn from the seed.
	 */
	start(game: string, seed: number, usual: boolean): Promise<Position>;

	/**
	 * Returns the given position and the position after each move: moves.length + 1 positions. An
	 * illegal move leads to an Error that names it.
	 */
	follow(game: string, position: string, moves: string[]): Promise<Position[]>;

	/** Returns the positions of a game that was saved as text. */
	read(game: string, text: string): Promise<Position[]>;

	/** Returns a game as text that read accepts. */
	write(game: string, position: string, moves: string[]): Promise<string>;

	/**
	 * Saves a finished game on the server. This function is missing if the server keeps no games.
	 */
	keep?(game: string, position: string, moves: string[]): Promise<unknown>;

	/**
	 * Searches a position. The back end calls the function each several times a second with the
	 * result so far. If the signal aborts the search, the promise resolves to the last result.
	 */
	analyse(query: Query, each: (a: Growth) => void, signal: AbortSignal): Promise<Growth>;
}

/**
 * Returns the functions that both back ends implement in the same way: they only pass a question to
 * package play (question.go). The parameter ask sends the question with the given name.
 */
export function questions(
	ask: <T>(name: string, question: Question) => Promise<T>,
): Pick<Backend, "rules" | "start" | "follow" | "read" | "write"> {
	return { rules: (game, language) => ask("rules", { game, language }),
		start: (game, seed, usual) => ask("start", { game, seed, usual }),
		follow: (game, position, moves) => ask("follow", { game, position, moves }),
		read: (game, text) => ask("read", { game, text }),
		write: (game, position, moves) => ask("write", { game, position, moves }) };
}
