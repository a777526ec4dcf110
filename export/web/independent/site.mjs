// Serves a folder, by a server that knows nothing but files, and opens it in Chromium.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, extname, normalize } from "node:path";
import { chromium } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };

export async function serve(folder) {
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
  const errors = [];
  const address = `http://127.0.0.1:${server.address().port}/`;
  async function open(hash = "", options = {}) {
    const context = await browser.newContext({ viewport: { width: 1340, height: 900 }, reducedMotion: "reduce", bypassCSP: false, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    page.on("pageerror", (e) => errors.push(String(e)));
    page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
    await page.goto(address + hash);
    await settled(page);
    return page;
  }
  const close = async () => { await browser.close(); server.close(); };
  return { open, close, errors, address };
}

/** Waits until a person is to move or the game is over. */
export const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
export const stateOf = (page) => page.evaluate(() => ({ state: document.body.dataset.state, moves: +document.body.dataset.moves }));

/** The serious faults that axe finds. */
export async function faults(page, where) {
  // The policy of the page keeps scripts from it that are not its own; evaluate is no script of a page.
  await page.evaluate(await readFile(axe, "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(" ")} ${n.any[0]?.message ?? n.failureSummary}`).join("; ")}`);
}

/** random returns numbers below n, the same ones for every run. */
export function dice(seed) {
  return (n) => (seed = (seed * 48271) % 2147483647) % n;
}
