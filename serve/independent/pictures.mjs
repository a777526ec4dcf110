// This script takes screenshots of a server's pages for the documents: node pictures.mjs ADDRESS
// FOLDER. In each screenshot of a game, the best model has played some moves against itself.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [address, folder] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

const wide = { width: 1180, height: 720 }, phone = { width: 390, height: 844 };
const scenes = [
  { name: "onitama", game: "onitama", moves: 9, viewport: { ...wide, height: 860 } },
  { name: "patchwork", game: "patchwork", moves: 16, viewport: wide },
  { name: "oanquan", game: "oanquan", moves: 3, viewport: wide },
  { name: "wallonitama-phone", game: "wallonitama", moves: 10, viewport: phone, colorScheme: "dark" },
];

for (const { name, game, moves, ...options } of scenes) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  await context.addInitScript(() => { // make every random start the same
    let seed = 3;
    Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  });
  const page = await context.newPage();
  await page.goto(`${address}#play?game=${game}`);
  await page.locator("label:has(#mode-analyse)").click();
  await page.locator("#new").click();
  await page.waitForFunction(() => document.body.dataset.moves === "0" && document.body.dataset.state === "person");
  for (let i = 0; i < moves; i++) {
    await page.waitForFunction((i) => {
      const visits = document.querySelector("#visits");
      return +document.body.dataset.moves === i && visits && (parseInt(visits.textContent.replace(/\D/g, "")) > 1000 || visits.dataset.running === "false");
    }, i);
    await page.locator(".ranked li button").first().click();
  }
  // An analysis may never end, so wait only until it has enough visits or has stopped.
  const searched = () => page.waitForFunction((i) => {
    const visits = document.querySelector("#visits");
    return +document.body.dataset.moves === i && visits && (parseInt(visits.textContent.replace(/\D/g, "")) > 50_000 || visits.dataset.running === "false");
  }, moves, { timeout: 60000 });
  await searched();
  await page.locator("#review").click();
  await page.waitForFunction(() => !document.querySelector("#notice").textContent.startsWith("Analysing position"));
  await searched();
  await page.mouse.move(2, 2);
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  await page.waitForTimeout(400); // until the bars have stopped moving
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}
await browser.close();
