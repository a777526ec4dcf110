// The back end that sends questions to the server of "dojo serve". Package serve documents the
// requests.
import { say } from "../words";
import { type Analysis, type Backend, type Model, type Query, questions, type Site } from "./backend";

export async function open(site: Site): Promise<Backend> {
	return { site, models: () => get<Model[]>("api/models"), ...questions((name, q) => post(`api/${name}`, q)),
		keep: (game, position, moves) => post("api/keep", { game, position, moves }), analyse };
}

// If other machines can reach a server, requests that make it compute need a token. The address
// that the server printed contains the token after #. The page stores it for the browser session.
function token(): string {
	const [, fresh] = /^#token=(\w+)$/.exec(location.hash) ?? [];
	try {
		if (fresh) sessionStorage.setItem("dojo-token", fresh);
		return fresh ?? sessionStorage.getItem("dojo-token") ?? "";
	} catch {
		return fresh ?? ""; // without storage, kept until the page is closed
	}
}

const authorization = token() && { authorization: `Bearer ${token()}` };
if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname);

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
	return answer(await ask(path, { signal }));
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
	return answer(await send(path, body, signal));
}

// ask fetches a path. If the connection fails, fetch throws a TypeError whose message depends on
// the browser, so ask throws an error with its own message.
async function ask(path: string, request?: RequestInit): Promise<Response> {
	return fetch(path, request).catch((e) => {
		throw plainly(e);
	});
}

function plainly(e: unknown): unknown {
	return e instanceof TypeError ? new Error(say("The server does not answer. Check that dojo is still running.")) : e;
}

const tries = 30, pause = 1000; // pause in milliseconds

// send posts a request. If the server already runs its maximum number of searches, send tries again
// later.
async function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
	for (let n = 1;; n++) {
		const response = await ask(path, { method: "POST",
			headers: { "content-type": "application/json", ...authorization }, body: JSON.stringify(body), signal });
		if (response.status !== 503 || n === tries || signal?.aborted) return response;
		await new Promise((done) => setTimeout(done, pause));
	}
}

// answer returns the JSON of a response. If the server reports an error as {"error": …}, answer
// throws it.
async function answer(response: Response) {
	const result = await response.json().catch(() => null);
	if (!response.ok || result?.error) {
		throw new Error(result?.error ?? `${response.url}: ${response.status} ${response.statusText}`);
	}
	return result;
}

// analyse reads a stream of lines, each of which is an Analysis in JSON. The server ends the search
// when the connection closes.
async function analyse(query: Query, each: (a: Analysis) => void, signal: AbortSignal): Promise<Analysis> {
	let last: Analysis | undefined;
	try {
		const response = await send("api/analyse", query, signal);
		if (!response.ok || !response.body) await answer(response);
		const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
		for (let text = "";;) {
			const { value, done } = await reader.read();
			if (done) break;
			const lines = (text + value).split("\n");
			text = lines.pop()!;
			for (const line of lines) {
				const a = JSON.parse(line);
				if (a.error) throw new Error(a.error);
				each(last = a);
			}
		}
	} catch (e) {
		if (!signal.aborted) throw plainly(e);
	}
	if (!last) throw new Error(say("The search stopped before it had a result."));
	return { ...last, done: true };
}
