// The worker of a static export: it loads Go's program and the model, and answers the
// page. A message is [id, name, ...arguments], an answer {id, result} or {id, error}.

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
// For measurements worker.js?kernel=portable computes without vectors, and so on.
go.env = { DOJO_KERNEL: new URLSearchParams(location.search).get("kernel") ?? "" };
const running = start();

async function start(): Promise<unknown> {
  const ready = new Promise<void>((done) => ((globalThis as any).dojo_ready = done));
  const { instance } = await WebAssembly.instantiate(await bytes("dojo.wasm"), go.importObject);
  void go.run(instance);
  await ready;
  return call("load", new Uint8Array(await bytes("model.safetensors")));
}

async function bytes(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

// call runs a function of the program; see export/web/wasm.
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
