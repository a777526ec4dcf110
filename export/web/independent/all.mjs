// This script tests the pages of games in Chromium: node all.mjs FOLDER TASKS. FOLDER has a folder
// for each game, and TASKS is a JSON object such as {"onitama": ["click", "around"]}. Several games
// are tested at the same time. The tasks of a game run one after another on the same page. For each
// task, the program prints a line of JSON with its results or its error.
import { availableParallelism } from "node:os";
import { around } from "./around.mjs";
import { play } from "./play.mjs";
import { picture, serve } from "./site.mjs";
import { touch } from "./touch.mjs";

const [folder, tasks] = process.argv.slice(2);
const site = await serve(folder);
const waiting = Object.entries(JSON.parse(tasks));

async function tryGame(game, names) {
  const errors = [];
  let page;
  for (const name of names) {
    const result = { game, task: name };
    try {
      page ??= await site.open(game, `#play?game=${game}&position=nonsense`, errors);
      const does = { around, touch }[name] ?? play;
      Object.assign(result, await does({ site, page, game, way: name, errors }));
    } catch (e) {
      result.error = e.stack;
      await picture(page, `${game}-${name}-failed`);
    }
    console.log(JSON.stringify({ ...result, errors: errors.splice(0) }));
    if (result.error) return; // skip this game's other tasks: its page may be in any state now
  }
  await page.context().close();
}

async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) await tryGame(...next);
}

await Promise.all(Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, work));
await site.close();
