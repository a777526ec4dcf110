// The worker of a static export. It loads the Go program and the model, and answers the questions
// of the page. The page sends it messages [id, name, ...arguments], and it answers {id, result} or
// {id, error}.

declare function importScripts(...urls: string[]): void;
declare function dojoKernels(go: Go): void;
declare class Go {
	env: Record<string, string>;
	importObject: WebAssembly.Imports;
	run(instance: WebAssembly.Instance): Promise<void>;
}
type Call = (...args: unknown[]) => string;

importScripts("wasm_exec.js", "kernels.js");
const go = new Go();
dojoKernels(go);
// For benchmarks, the worker's URL can choose the kernels: worker.js?kernel=portable uses the ones
// without SIMD.
go.env = { DOJO_KERNEL: new URLSearchParams(location.search).get("kernel") ?? "" };
const running = start();

async function start(): Promise<unknown> {
	const ready = new Promise<void>((done) => ((globalThis as any).dojo_ready = done));
	const [program, model] = await unpacked("dojo.wasm.gzip", "model.safetensors.gzip");
	const [{ instance }, parameters] = await Promise.all([
		WebAssembly.instantiateStreaming(program, go.importObject),
		model.arrayBuffer(),
	]);
	void go.run(instance);
	await ready;
	return call("load", new Uint8Array(parameters));
}

// unpacked fetches and unpacks files in parallel, and reports to the page what share of all bytes
// has arrived.
async function unpacked(...urls: string[]): Promise<Response[]> {
	const responses = await Promise.all(urls.map(async (url) => {
		const response = await fetch(url);
		if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
		return response;
	}));
	const total = responses.reduce((sum, r) => sum + Number(r.headers.get("content-length") ?? NaN), 0);
	let come = 0;
	const count = () =>
		new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({ transform(part, out) {
			come += part.length;
			if (total) postMessage({ come, total });
			out.enqueue(part);
		} });
	// The browser can compile the program while it is loading only if the response has this content
	// type.
	return responses.map((r) =>
		new Response(r.body!.pipeThrough(count()).pipeThrough(new DecompressionStream("gzip")), {
			headers: { "content-type": "application/wasm" },
		})
	);
}

// call runs a function of the Go program; see export/web/wasm.
function call(name: string, ...args: unknown[]): unknown {
	const f = (globalThis as any)[`dojo_${name}`] as Call;
	const result = JSON.parse(f(...args));
	if (result?.error) throw new Error(result.error);
	return result;
}

addEventListener("message", async ({ data }: MessageEvent) => {
	const [id, name, ...args] = data;
	try {
		const model = await running;
		postMessage({ id, result: name === "load" ? model : call(name, ...args) });
	} catch (e) {
		postMessage({ id, error: e instanceof Error ? e.message : String(e) });
	}
});
