// The runs as the server tells them: package serve documents its answers.
import { get } from "../backend/server";

/** Who helps the process that trains a run. */
export interface Workers {
	time: string; // when the trainer wrote it down
	over?: boolean; // the trainer has ended
	workers: Worker[];
}

export interface Worker {
	name: string;
	program: string;
	system: string;
	seen: string;
	goroutines: number;
	held: number; // tasks that it is working on
	tasks: number; // that were accepted
	games: number;
	games_per_second: number;
	refused?: string;
}

/** The record of a generation; what older runs do not have is missing. */
export interface Generation {
	generation: number;
	player: string; // the model that played
	best: string; // the model that plays next
	time: string;
	games: number;
	positions: number;
	game_length: number;
	first_wins: number;
	draws: number;
	policy_entropy: number;
	value_error: number;
	distinct?: number;
	late?: number; // share of positions late in the game
	selfplay_seconds?: number;
	simulations_per_second?: number;
	fit: Fit;
	gate: Gate;
	ladder?: { seconds: number };
}

export interface Fit {
	steps: number;
	learning_rate: number;
	policy_loss: number;
	value_loss: number;
	margin_loss: number;
	entropy: number;
	value_error: number;
	seconds: number;
	samples_per_second: number;
	new?: { policy_loss: number; value_loss: number; value_error: number; agreement: number }; // before training on them
	deep?: { positions: number; agreement: number; value_change: number }; // against a search of many times the budget
}

export interface Gate {
	wins: number;
	losses: number;
	draws: number;
	elo: number; // of the candidate, with its interval of 95 %
	elo_low: number;
	elo_high: number;
	margin?: { mean: number; low: number; high: number }; // points by which it was ahead, in a game with scores
	promoted: boolean;
	seconds: number;
}

/** The ratings of the run's models, by matches of a fixed number of games, with intervals of 95 %. */
export interface Ladder {
	zero: string; // the player whose rating is 0; "" before the first match
	rungs: { generation: number; elo: number; low: number; high: number }[];
}

export interface Stage {
	generation: number;
	name: "self-play" | "train" | "gate" | "ladder" | "complete";
	done: number;
	total: number; // 0: not known
	remark: string;
	written?: string;
}

export interface Run {
	run: string;
	game: string;
	program: string;
	network: string;
	simulations: number;
	seed: number;
	planned: number;
	config: { gate?: { ladder?: number } }; // all settings; here are the ones that the pages ask for
	from: number; // of generations, in what the server sends
	generations: Generation[];
	ladder: Ladder;
	// candidates on positions of known value, where it was measured
	solved: { generation: number; share: number; positions: number }[];
	stage: Stage;
	workers?: Workers; // who helps the process that trains
	error?: string;
}

export type Connection = "connecting" | "live" | "lost";

/** What has changed since an earlier answer. */
interface News {
	clock: string; // to ask with the next time
	ids: string[]; // of all runs
	runs: Run[];
}

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
			const news = (await get(`api/runs?since=${clock}`, AbortSignal.timeout(patience))) as News;
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
