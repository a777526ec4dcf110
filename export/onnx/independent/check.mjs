// Runs an ONNX model and prints its outputs as JSON: node check.mjs MODEL INPUT ROWS SIDE…
// INPUT is a file of float32 numbers, and ROWS SIDE… is their shape. If the model has a second
// input, its int64 numbers are in the file INPUT.actions.
import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web";

const [model, input, ...shape] = process.argv.slice(2);
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(model), { executionProviders: ["wasm"] });
const bytes = readFileSync(input);
const data = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const feeds = { [session.inputNames[0]]: new ort.Tensor("float32", data, shape.map(Number)) };
if (session.inputNames.length > 1) {
  const more = readFileSync(input + ".actions");
  const numbers = new BigInt64Array(more.buffer.slice(more.byteOffset, more.byteOffset + more.length));
  feeds[session.inputNames[1]] = new ort.Tensor("int64", numbers, [Number(shape[0]), numbers.length / Number(shape[0])]);
}
const out = await session.run(feeds);
const result = { inputs: session.inputNames };
for (const [name, tensor] of Object.entries(out)) {
  result[name] = { dims: tensor.dims, data: Array.from(tensor.data) };
}
console.log(JSON.stringify(result));
