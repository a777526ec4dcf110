// The runs as the server tells them: package serve documents its answers.
import { get } from "../backend/server";

import type { Metrics, News, Snapshot } from "../wire";

/** A run, as it is known so far. */
export type Run = Snapshot;

/** The record of a generation; what older runs do not have is missing. */
export type Generation = Metrics;

export type Connection = "connecting" | "live" | "lost";

const pause = 1_000; // ms from an answer to the next question
const patience = 20_000; // ms for an answer

/**
 * Asks for the server's runs until the returned function is called. A page that is not visible
 * does not ask. No answer keeps its connection: a browser has six for all its tabs.
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

// merge adds what is new of a run: the generations from a number on are replaced.
function merge(runs: Map<string, Run>, news: Run) {
	const old = runs.get(news.run);
	const keep = old ? Math.min(news.from, old.generations.length) : 0;
	runs.set(news.run, { ...news, generations: [...(old?.generations.slice(0, keep) ?? []), ...news.generations] });
}
