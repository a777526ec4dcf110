// This file gets the state of the runs from the server. Package serve documents the answers.
import { get } from "../backend/server";

import type { Metrics, News, Snapshot } from "../wire";

/** The state of a run, as far as the page knows it. */
export type Run = Snapshot;

/** The record of a generation. In older runs, some fields are missing. */
export type Generation = Metrics;

export type Connection = "connecting" | "live" | "lost";

const pause = 1_000; // milliseconds from an answer to the next request
const patience = 20_000; // milliseconds to wait for an answer

/**
 * Asks the server for its runs until the returned function is called. A page that is not visible
 * does not ask. Each request ends quickly, because a browser has only six connections to a server
 * for all its tabs.
 */
export function listen(changed: (runs: Run[], connection: Connection) => void): () => void {
	const runs = new Map<string, Run>();
	let ids: string[] = [];
	let clock = "";
	let connection: Connection = "connecting";
	let asking = false, ended = false;
	let timer = 0;

	const ask = async () => {
		clearTimeout(timer);
		if (asking || ended || document.hidden) return;
		asking = true;
		const before = { clock, connection };
		try {
			const news = await get<News>(`api/runs?since=${clock}`, AbortSignal.timeout(patience));
			for (const run of news.runs) merge(runs, run);
			({ ids, clock } = news);
			connection = "live";
		} catch {
			connection = "lost";
		}
		asking = false;
		if (ended) return;
		if (clock !== before.clock || connection !== before.connection) {
			changed(ids.flatMap((id) => runs.get(id) ?? []), connection);
		}
		timer = setTimeout(ask, pause);
	};
	document.addEventListener("visibilitychange", ask);
	void ask();
	return () => {
		ended = true;
		document.removeEventListener("visibilitychange", ask);
		clearTimeout(timer);
	};
}

// merge updates a run with news from the server. The news replaces the generation news.from and all
// later ones.
function merge(runs: Map<string, Run>, news: Run) {
	const old = runs.get(news.run);
	const keep = old ? Math.min(news.from, old.generations.length) : 0;
	runs.set(news.run, { ...news, generations: [...(old?.generations.slice(0, keep) ?? []), ...news.generations] });
}
