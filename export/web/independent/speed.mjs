// Measures how many simulations a second a static export makes in Chromium with each kind
// of kernels, in turns, so that all meet the same load of the machine:
//
//	node speed.mjs FOLDER [ROUNDS [KERNEL...]]
//
// It prints for each, as JSON, the best of the rounds and how often that is the first
// kind's; with 0 rounds what a search of 60 visits finds, which is the same for all.
import { serve } from "./site.mjs";

const [folder, rounds = "10", ...named] = process.argv.slice(2);
const names = named.length ? named : ["portable", "simd", "relaxed"];
const site = await serve(folder);
const page = await site.open(".", "", []);
const result = await page.evaluate(async ([names, rounds]) => {
  const ask = (worker, ...message) => new Promise((done, fail) => {
    worker.onmessage = ({ data }) => { if ("id" in data) data.error ? fail(new Error(data.error)) : done(data.result); }; // others tell how much has come
    worker.postMessage([0, ...message]);
  });
  const sides = [];
  for (const name of names) {
    const worker = new Worker(`worker.js?kernel=${name}`);
    const { game, kernels } = await ask(worker, "load");
    const { position } = await ask(worker, "start", JSON.stringify({ game, seed: 1 }));
    // After a second the browser's compiler is done.
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
