// This file gets the games of runs from the server; see package serve.
import { get, post } from "../backend/server";
import type { Game, GameList, Listed, Opinion as Thought, Thoughts, Watched } from "../wire";

/**
 * A function that returns the address of the page of games with some parameters changed. An empty
 * value removes a parameter.
 */
export type Address = (changes: Record<string, string>) => string;

export type { Game, GameList, Listed, Watched } from "../wire";

export type Source = Listed["source"];

interface View {
	value: number;
	policy: Map<string, number>;
}

/**
 * Evaluations of one position. For self-play games, the search result is stored with the game; the
 * others are computed on request.
 */
export interface Opinion {
	search?: View;
	network?: View;
}

const view = (t?: Thought): View | undefined =>
	t && { value: t.value, policy: new Map(t.policy.map((w) => [w.move, w.weight])) };

export async function runsOf(): Promise<{ run: string; game: string }[]> {
	return (await get<{ runs: { run: string; game: string }[] }>("api/runs")).runs;
}

export function listOf(run: string, query: Record<string, string>): Promise<GameList> {
	return get(`api/runs/${encodeURIComponent(run)}/games?${new URLSearchParams(query)}`);
}

const path = (run: string, g: { source: string; generation: number | string; number: number | string }) =>
	`api/runs/${encodeURIComponent(run)}/games/${g.source}/${g.generation}/${g.number}`;

export function gameOf(run: string, source: string, generation: string, number: string): Promise<Game> {
	return get(path(run, { source, generation, number }));
}

/** Returns the evaluations that are stored with the game. */
export function keptOpinions(game: Game): Opinion[] {
	return game.searches.map((s) => ({ search: view(s) }));
}

/** Returns the stored evaluations, together with those that the models compute now. */
export async function opinionsOf(game: Game): Promise<Opinion[]> {
	const t = await post<Thoughts>(path(game.run, game), {});
	return t.networks.map((n, i) => ({ search: view(game.searches[i] ?? t.searches[i]), network: view(n) }));
}

/** Returns a position with its evaluations by a run's models; see package serve. */
export function watch(run: string, query: { game: string; position: string; simulations: number }): Promise<Watched> {
	return post(`api/runs/${encodeURIComponent(run)}/watch`, query);
}
