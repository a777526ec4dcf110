// Runs a model on planes: node check.mjs MODEL PLANES H W C ROWS, where PLANES
// is a file of float32. Prints the outputs as JSON, and the metadata's shapes.
import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web";

const [model, planes, h, w, c, rows] = process.argv.slice(2);
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(model), { executionProviders: ["wasm"] });
const bytes = readFileSync(planes);
const input = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const shape = [rows, h, w, c].map(Number);
const out = await session.run({ planes: new ort.Tensor("float32", input, shape) });
const result = { inputs: session.inputNames, outputs: session.outputNames };
for (const [name, tensor] of Object.entries(out)) {
  result[name] = { dims: tensor.dims, data: Array.from(tensor.data) };
}
console.log(JSON.stringify(result));
