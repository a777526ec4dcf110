// What the pages ask for. There are two back ends: the WebAssembly worker of a static export
// (worker.ts) and the server of "dojo serve" (server.ts). Values are seen from First's side, in
// [-1, 1], everywhere.
import type { Growth, Model, Position, Query as AnyQuery, Question, Site } from "../wire";

export type { Growth as Analysis, Model, Move, Outcome, Player, Position, Site } from "../wire";

/** A position to search, after some moves. */
export type Query = AnyQuery & { position: string };

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

	/** Searches. each gets what is known several times a second. An aborted search ends with what there is. */
	analyse(query: Query, each: (a: Growth) => void, signal: AbortSignal): Promise<Growth>;
}

/** What a back end answers from package play (question.go), asked by name with an object. */
export function questions(
	ask: <T>(name: string, question: Question) => Promise<T>,
): Pick<Backend, "rules" | "start" | "follow" | "read" | "write"> {
	return { rules: (game, language) => ask("rules", { game, language }),
		start: (game, seed, usual) => ask("start", { game, seed, usual }),
		follow: (game, position, moves) => ask("follow", { game, position, moves }),
		read: (game, text) => ask("read", { game, text }),
		write: (game, position, moves) => ask("write", { game, position, moves }) };
}
