// Plays a whole game in Chromium by clicking at random what can be clicked:
// node click.mjs FOLDER [SCREENSHOT]. The folder is served here, by a server
// that knows nothing but files. Prints what the page came to as JSON.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, extname, normalize } from "node:path";
import { chromium } from "playwright-core";

const [folder, screenshot] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const server = createServer(async (request, response) => {
  const name = normalize(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
  try {
    const body = await readFile(join(folder, name));
    response.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1180, height: 860 } });
const errors = [];
page.on("pageerror", (e) => errors.push(String(e)));
page.on("console", (m) => m.type() === "error" && !m.text().includes("favicon") && errors.push(m.text()));
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.selectOption("#visits", "16");

let seed = 1;
const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
const state = () => page.evaluate(() => ({ state: document.body.dataset.state, moves: +document.body.dataset.moves }));
const settled = () => page.waitForFunction(() => ["human", "over"].includes(document.body.dataset.state), null, { timeout: 60000 });
let clicks = 0, undone = false, hinted = false, shot = false;
await settled();
for (let s = await state(); s.state !== "over"; s = await state()) {
  if (clicks > 3000) throw new Error("no end of clicks");
  if (s.moves >= 2 && !undone) {
    await page.click("#undo");
    await settled();
    undone = (await state()).moves < s.moves;
    continue;
  }
  if (s.moves >= 2 && !hinted) {
    await page.click("#hint");
    await page.waitForSelector("#hints li", { timeout: 60000 });
    hinted = true;
  }
  if (screenshot && s.moves >= 5 && !shot) {
    await page.screenshot({ path: screenshot });
    shot = true;
  }
  const targets = await page.$$("#board .can");
  if (!targets.length) throw new Error("nothing can be clicked: " + (await page.textContent("#status")));
  await targets[random(targets.length)].dispatchEvent("click");
  clicks++;
  await page.waitForTimeout(5);
  await settled();
}
const text = (id) => page.textContent(id);
const result = {
  ...(await state()), clicks, undone, hinted, errors,
  status: await text("#status"), speed: await text("#speed"), title: await text("#title"), provenance: await text("#provenance"),
};
await browser.close();
server.close();
console.log(JSON.stringify(result));
