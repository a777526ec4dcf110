// The games of runs as the server tells them; see package serve.
import { get, post } from "../backend/server";
import type { Game, GameList, Listed, Opinion as Thought, Thoughts, Watched } from "../wire";

/** The address of the page of games with some choices changed; an empty one is dropped. */
export type Address = (changes: Record<string, string>) => string;

export type { Game, GameList, Listed, Watched } from "../wire";

export type Source = Listed["source"];

interface View {
	value: number;
	policy: Map<string, number>;
}

/** What was thought of one position: of self-play the search's part is kept, all else computed again. */
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

/** What the game keeps of its searches. */
export function keptOpinions(game: Game): Opinion[] {
	return game.searches.map((s) => ({ search: view(s) }));
}

/** The same with what the models think now. */
export async function opinionsOf(game: Game): Promise<Opinion[]> {
	const t = await post<Thoughts>(path(game.run, game), {});
	return t.networks.map((n, i) => ({ search: view(game.searches[i] ?? t.searches[i]), network: view(n) }));
}

/** A position as the models of a run see it; see package serve. */
export function watch(run: string, query: { game: string; position: string; simulations: number }): Promise<Watched> {
	return post(`api/runs/${encodeURIComponent(run)}/watch`, query);
}
