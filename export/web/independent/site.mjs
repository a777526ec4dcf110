// This module serves the folders of several games from a static file server, and opens them in one
// Chromium. If DOJO_PICTURES names a folder, screenshots of the pages are saved there.
import { createServer } from "node:http";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, extname, normalize } from "node:path";
import { chromium } from "playwright-core";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
const pictures = process.env.DOJO_PICTURES;

export async function serve(folder) {
  // held maps the name of each delayed file to a promise. The server sends the second half of the
  // file when the promise resolves.
  const held = {};
  const server = createServer(async (request, response) => {
    const name = normalize(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
    try {
      const body = await readFile(join(folder, name));
      response.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream", "content-length": body.length });
      const wait = held[name.split("/").at(-1)];
      if (wait) {
        response.write(body.subarray(0, body.length / 2));
        await wait;
      }
      response.end(wait ? body.subarray(body.length / 2) : body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  if (pictures) await mkdir(pictures, { recursive: true });

  /** Opens the page of a game. Errors of the page are added to the array errors. */
  async function open(game, hash, errors, { first, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1120, height: 760 }, reducedMotion: "reduce", ...options });
    // Fixed random numbers make all deals the same.
    await context.addInitScript(() => {
      let seed = 7;
      Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120000); // long, because the machine may be busy
    page.on("pageerror", (e) => errors.push(String(e)));
    page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
    await page.goto(`http://127.0.0.1:${server.address().port}/${game}/${hash}`);
    if (!first) await settled(page);
    return page;
  }
  /** Lets the server send only the first half of files called name, until the returned function is called. */
  function hold(name) {
    let go;
    held[name] = new Promise((done) => { go = () => { delete held[name]; done(); }; });
    return go;
  }
  const closeServer = async () => { server.closeAllConnections(); server.close(); };
  const close = async () => { await browser.close(); await closeServer(); };
  return { open, close, closeServer, hold, browser, address: `http://127.0.0.1:${server.address().port}/` };
}

/** Waits until a human is to move or the game is over. */
export const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
export const stateOf = (page) => page.evaluate(() => ({ state: document.body.dataset.state, moves: +document.body.dataset.moves }));
export const text = (page, selector) => page.locator(selector).first().textContent();

/** Waits until more than n moves have been played and it is a human's turn or the game is over. */
export async function movedOn(page, n) {
  await page.waitForFunction((n) => +document.body.dataset.moves > n, n);
  await settled(page);
}

/**
 * Returns the hash part of the page's address. The page updates it whenever it draws a position.
 */
export const hashOf = (page) => page.evaluate(() => location.hash);

export async function picture(page, name) {
  if (pictures) await page?.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Returns the serious accessibility faults that axe finds. */
export async function faults(page, where) {
  // Load axe with page.evaluate, because the page's security policy forbids foreign scripts.
  if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(" ")} ${n.any[0]?.message ?? n.failureSummary}`).join("; ")}`);
}

/**
 * Returns a function that returns random numbers below its argument. They are the same in every
 * run.
 */
export function dice(seed) {
  return (n) => (seed = (seed * 48271) % 2147483647) % n;
}
