// The back end of a static export. It sends the questions to a worker that runs the Go program.
import { say } from "../words";
import { type Analysis, type Backend, type Model, type Query, questions, type Site } from "./backend";

// A search runs in slices, so that the worker can answer other questions between them.
const slice = 100; // in milliseconds

export async function open(site: Site, progress: (come: number, total: number) => void): Promise<Backend> {
	const worker = new Worker("worker.js");
	const ask = connect(worker);
	worker.addEventListener("message", ({ data }) => data.total && progress(data.come, data.total));
	const models = [await ask<Model>("load")];
	void navigator.serviceWorker?.register("offline.js").catch(() => {/* then the page needs a network */});
	const about = questions((name, q) => ask(name, JSON.stringify(q)));

	async function analyse(query: Query, each: (a: Analysis) => void, signal: AbortSignal): Promise<Analysis> {
		const at = await about.follow(query.game, query.position, query.moves ?? []);
		const position = at[at.length - 1].position;
		const until = query.time_ms ? performance.now() + query.time_ms : Infinity;
		let made = 0, seconds = 0;
		for (;;) {
			const left = Math.max(1, Math.min(slice, until - performance.now()));
			const a = await ask<Analysis>("analyse", position, query.simulations ?? 0, left);
			made += a.made ?? 0;
			seconds += a.seconds ?? 0;
			if (seconds > 0) a.simulations_per_second = made / seconds;
			a.done ||= signal.aborted || performance.now() >= until;
			each(a);
			if (a.done) return a;
		}
	}

	return { site, analyse, ...about, models: async () => models };
}

// connect returns a function that asks the worker and waits for its answer.
function connect(worker: Worker): <T>(name: string, ...args: unknown[]) => Promise<T> {
	const waiting = new Map<number, { resolve(v: any): void; reject(e: Error): void }>();
	let asked = 0;
	worker.onmessage = ({ data }) => {
		const w = waiting.get(data.id);
		waiting.delete(data.id);
		if (data.error !== undefined) w?.reject(new Error(data.error));
		else w?.resolve(data.result);
	};
	worker.onerror = (e) => {
		for (const w of waiting.values()) w.reject(new Error(e.message || say("The bot did not start. Reload the page.")));
		waiting.clear();
	};
	return (name, ...args) =>
		new Promise((resolve, reject) => {
			waiting.set(++asked, { resolve, reject });
			worker.postMessage([asked, name, ...args]);
		});
}
