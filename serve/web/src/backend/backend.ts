// The interface between the pages and a back end, which answers their questions. There are two back
// ends: the WebAssembly worker of a static export (worker.ts) and the server of "dojo serve"
// (server.ts). All values are from the side of the player First, in [-1, 1].
import type { Growth, Model, Position, Query as AnyQuery, Question, Site } from "../wire";

export type { Growth as Analysis, Model, Move, Outcome, Player, Position, Site } from "../wire";

/** A request to search a position: the one that is reached from `position` by the given moves. */
export type Query = AnyQuery & { position: string };

export interface Backend {
	readonly site: Site;

	/** Lists the models. The games that can be played are the games of these models. */
	models(): Promise<Model[]>;

	/** Returns the rules of a game for players as Markdown, in the given language. */
	rules(game: string, language: string): Promise<string>;

	/**
	 * Returns the first position of a new game. If usual is true and the game has a standard start,
	 * this is the standard start. Otherwise it is a random start, which the seed determines.
	 */
	start(game: string, seed: number, usual: boolean): Promise<Position>;

	/**
	 * Returns the given position and the position after each move: moves.length + 1 positions. If a
	 * move is illegal, the promise rejects with an Error that names the move.
	 */
	follow(game: string, position: string, moves: string[]): Promise<Position[]>;

	/** Returns the positions of a game that was saved as text. */
	read(game: string, text: string): Promise<Position[]>;

	/** Returns a game as text that read accepts. */
	write(game: string, position: string, moves: string[]): Promise<string>;

	/**
	 * Saves a finished game on the server. This function is undefined if the server saves no games.
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
 * package play (question.go). ask sends a question of the named kind.
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
