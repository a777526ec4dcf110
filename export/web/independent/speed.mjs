// This script measures the simulations per second of a static export in Chromium, for each kind of
// kernels:
//
// node speed.mjs FOLDER [ROUNDS [KERNEL...]]
//
// The kinds are measured alternately, so that the machine's load affects all of them equally. For
// each kind, the script prints the best speed of its rounds, and the ratio of this speed to the
// speed of the first kind, as JSON. With 0 rounds, it prints the result of a search of 60 visits,
// which must be the same for all kinds.
import { serve } from "./site.mjs";

const [folder, rounds = "10", ...named] = process.argv.slice(2);
const names = named.length ? named : ["portable", "simd", "relaxed"];
const site = await serve(folder);
const page = await site.open(".", "", []);
const result = await page.evaluate(async ([names, rounds]) => {
  const ask = (worker, ...message) => new Promise((done, fail) => {
    // Messages without an id only report the progress of loading.
    worker.onmessage = ({ data }) => { if ("id" in data) data.error ? fail(new Error(data.error)) : done(data.result); };
    worker.postMessage([0, ...message]);
  });
  const sides = [];
  for (const name of names) {
    const worker = new Worker(`worker.js?kernel=${name}`);
    const { game, kernels } = await ask(worker, "load");
    const { position } = await ask(worker, "start", JSON.stringify({ game, seed: 1 }));
    // Before the rounds, search for one second, so that the browser compiles the program.
    const { moves } = await ask(worker, "analyse", position, ...(rounds > 0 ? [0, 1000] : [60, 60000]));
    sides.push({ game, name, kernels, worker, best: 0, moves: rounds > 0 ? undefined : JSON.stringify(moves) });
  }
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      const { position } = await ask(side.worker, "start", JSON.stringify({ game: side.game, seed: 2 + round }));
      const a = await ask(side.worker, "analyse", position, 0, 250);
      side.best = Math.max(side.best, a.made / a.seconds);
    }
  }
  const first = sides[0].best || 1;
  return sides.map(({ worker, best, ...side }) => ({ ...side, best: Math.round(best), times: +(best / first).toFixed(1) }));
}, [names, +rounds]);
console.log(JSON.stringify(result));
await site.close();
