// Measures how many simulations a second a static export makes in Chromium with each kind
// of kernels, in turns, so that all meet the same load of the machine:
//
//	node speed.mjs FOLDER [ROUNDS [KERNEL...]]
//
// It prints the best of the rounds for each, as JSON, and how often they are the plain ones.
import { serve } from "./site.mjs";

const [folder, rounds = "10", ...named] = process.argv.slice(2);
const names = named.length ? named : ["portable", "simd", "relaxed"];
const site = await serve(folder);
const page = await site.open();
const result = await page.evaluate(async ([names, rounds]) => {
  const ask = (worker, ...message) => new Promise((done, fail) => {
    worker.onmessage = ({ data }) => (data.error ? fail(new Error(data.error)) : done(data.result));
    worker.postMessage([0, ...message]);
  });
  const sides = [];
  for (const name of names) {
    const worker = new Worker(`worker.js?kernel=${name}`);
    const model = await ask(worker, "load");
    const { position } = await ask(worker, "start", model.game, 1);
    await ask(worker, "analyse", position, 0, 1000); // the browser's compiler is done
    sides.push({ name, kernels: model.kernels, game: model.game, worker, best: 0 });
  }
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      const { position } = await ask(side.worker, "start", side.game, 2 + round);
      const a = await ask(side.worker, "analyse", position, 0, 250);
      side.best = Math.max(side.best, a.made / a.seconds);
    }
  }
  return sides.map(({ name, kernels, game, best }) => ({ game, name, kernels, best: Math.round(best), times: +(best / sides[0].best).toFixed(1) }));
}, [names, +rounds]);
console.log(JSON.stringify(result));
await site.close();
