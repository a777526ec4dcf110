// The bot's worker: loads the program and the model, answers the page.
importScripts("wasm_exec.js");

const go = new Go();
const program = fetch("dojo.wasm").then((r) => bytes(r)).then((b) => WebAssembly.instantiate(b, go.importObject));

async function bytes(response) {
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return response.arrayBuffer();
}

program.then((w) => go.run(w.instance)).catch((e) => postMessage({ error: String(e) }));

addEventListener("message", async ({ data }) => {
  const [id, name, ...args] = data;
  try {
    if (name === "load") args[0] = new Uint8Array(await bytes(await fetch(args[0])));
    const result = JSON.parse(self[`dojo_${name}`](...args));
    postMessage({ id, ...(result.error ? { error: result.error } : { result }) });
  } catch (e) {
    postMessage({ id, error: String(e) });
  }
});
