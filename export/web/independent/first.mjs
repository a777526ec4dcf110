// This script measures the first visit to a game's page over a connection of 10 Mbit/s with a
// latency of 40 ms, which Chromium emulates: node first.mjs FOLDER. The script prints a JSON object
// with times in seconds since the visit began: when the page shows the download's progress, and
// when the user can play. The field "line" is the time that the connection needs to transfer the
// files.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { serve } from "./site.mjs";

const folder = process.argv[2];
const bytesPerSecond = 10e6 / 8;
const site = await serve(folder);
const errors = [];
let bytes = 0;
for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;

// slow emulates the slow connection for a page and for the workers that the page starts.
async function slow(session) {
  const line = { offline: false, latency: 40, downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", line);
}

const context = await site.browser.newContext({ viewport: { width: 1120, height: 760 }, reducedMotion: "reduce" });
// The page itself measures the times, so that they do not include delays of the test.
await context.addInitScript(() => {
  const now = () => performance.now() / 1000;
  globalThis.seen = {};
  new MutationObserver(() => {
    const bar = document.querySelector("progress");
    if (bar && !bar.hidden && bar.position > 0) seen.progress ??= now();
    if (document.querySelector(".board") && document.body.dataset.state === "person") seen.plays ??= now();
  }).observe(document, { subtree: true, childList: true, attributes: true });
});
const page = await context.newPage();
page.setDefaultTimeout(120_000);
page.on("pageerror", (e) => errors.push(String(e)));
await slow(await context.newCDPSession(page));
await page.goto(site.address);
await page.waitForFunction(() => seen.plays);
const seen = await page.evaluate(() => globalThis.seen);
await site.close();
console.log(JSON.stringify({ errors, ...seen, line: bytes / bytesPerSecond }));
