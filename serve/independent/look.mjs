// This script tests the pages of a server in Chromium: node look.mjs ADDRESS REPORT. DOJO_PICTURES
// names a folder for screenshots of the pages. To change the run, the script prints a line "do
// WORD" and waits for a line on stdin, which confirms the change. The last line of output contains
// the findings as JSON.
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { boards } from "./boards.mjs";
import { comfort } from "./comfort.mjs";
import { faint } from "./contrast.mjs";
import { gallery } from "./gallery.mjs";
import { learning } from "./learning.mjs";
import { lessons } from "./lessons.mjs";
import { playing } from "./playing.mjs";
import { story } from "./story.mjs";
import { inOtherWords } from "./words.mjs";

const [address, report] = process.argv.slice(2);
const pictures = process.env.DOJO_PICTURES;
if (pictures) await mkdir(pictures, { recursive: true });
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const ask = async (word) => {
  console.log(`do ${word}`);
  await answers.next();
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const found = { errors: [], faults: [] };
const wrong = (text) => found.faults.push(text);
const check = (holds, text) => holds || wrong(text);

async function open(options = {}) {
  return tab(await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options }));
}

async function tab(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // long, because the machine may be busy
  page.on("pageerror", (e) => found.errors.push(String(e)));
  page.on("console", (m) => {
    const expected = m.text().includes("ERR_CONNECTION_REFUSED") || m.text().includes("ERR_INCOMPLETE_CHUNKED_ENCODING") || m.text().includes("the server responded with a status of");
    if (m.type() === "error" && !expected) found.errors.push(m.text());
  });
  return page;
}

// look takes a screenshot, and reports serious findings of axe, drawings with too little contrast,
// and elements that are wider than the page. If onlyColours is set, axe checks only the rules about
// colours. This is enough for a dark page, because it has the same elements as the light one.
async function look(page, name, { onlyColours = false } = {}) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  await page.evaluate(axe);
  const only = onlyColours ? { runOnly: ["color-contrast", "link-in-text-block"] } : {};
  const { violations } = await page.evaluate((only) => globalThis.axe.run(document, { ...only, resultTypes: ["violations"], selectors: false, preload: false }), only);
  for (const v of violations.filter((v) => ["serious", "critical"].includes(v.impact))) {
    wrong(`${name}: ${v.id}, ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" ")}`);
  }
  for (const text of await faint(page)) wrong(`${name}: too faint: ${text}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `${name} is ${wide} pixels wider than its window`);
}

const text = (page, selector) => page.locator(selector).first().innerText();

// A browser opens at most six connections to a server for all its tabs together, so no tab of the
// dashboard may keep a connection open.
const others = [await open()];
while (others.length < 6) others.push(await tab(others[0].context()));
for (const other of others) {
  await other.goto(address);
  await other.locator(".state.live").waitFor();
}

// A seventh tab tests the dashboard: reading values with the pointer and the keyboard, updates from
// the server, and a server that stops and restarts.
const page = await tab(others[0].context());
await page.goto(address);
const strength = page.locator(".chart").first();
await strength.locator(".curve").first().waitFor();
check((await page.locator(".chart").count()) === 1, "other charts than the strength are shown before they are asked for");
await page.locator(".more summary").first().click();
await page.locator("#title-solved").waitFor();
check((await page.locator(".chart").count()) >= 9, "charts are missing");
const generations = page.locator(".runs-table .done").first();
check((await generations.innerText()) === "1", `one generation is shown as ${await generations.innerText()}`);
await ask("grow");
for (const each of [page, ...others]) await each.waitForFunction(() => document.querySelector(".runs-table .done").innerText === "2");
for (const other of others) await other.close();
await along("generation");
const plot = await strength.locator(".canvas").boundingBox();
await page.mouse.move(plot.x + plot.width - 14, plot.y + 60);
await at("generation 1");
check((await text(page, ".charts .chart:last-child .head .at")) === "generation 1", "the charts do not move together");
const hovered = await text(page, ".chart .values");
await page.mouse.move(2, 2);
await at("latest");
await strength.locator(".plot").focus();
await page.keyboard.press("Home");
await at("generation 0");
await page.keyboard.press("ArrowRight");
await at("generation 1");
check((await text(page, ".chart .values")) === hovered, "the keys read other values than the pointer");
await page.keyboard.press("Escape");
for (const axis of ["minutes", "games", "generation"]) {
  await along(axis);
  check((await page.locator(".chart .curve > :is(path, circle)").count()) >= 9, `along ${axis} there are no curves`);
}
await ask("stop");
await page.locator(".state.lost").waitFor();
await ask("grow");
await ask("start");
await page.locator(".state.live").waitFor();
await page.waitForFunction(() => document.querySelector(".runs-table .done").innerText === "3");
// The server may exit when its runs are complete, as the server of "dojo train --serve" does.
await ask("stop");
await page.locator(".state.ended").waitFor();
check(!(await text(page, ".dashboard")).includes("connection lost"), "of a server that has ended beside complete runs the page says that the connection is lost");
await ask("start");
await page.locator(".state.live").waitFor();
for (const summary of await page.locator(".generations summary").all()) await summary.click();
const numbers = page.locator("details.generations:last-child tbody tr");
await numbers.first().waitFor();
check((await numbers.count()) === 3, "the table has not three generations");
await look(page, "dashboard-whole");
await page.click(".theme");

await oneGameAtATime(page, address);
await unseen();
await Promise.all([story({ open, address, check, wrong, look }), boards({ open, address, check, look }), gallery({ open, address, look })]);
await Promise.all([games(), playing({ page: await open(), open, address, check, wrong, look }), learning({ page: await open(), address, check, look }), comfort({ page: await open(), address, check, look }), fromDisk()]);
await Promise.all([inOtherWords({ open, address, check, look }), lessons({ open, address, check, look })]);
await browser.close();
console.log(JSON.stringify(found));
process.exit(0);

// along selects the horizontal axis and waits until the address contains the choice.
async function along(axis) {
  await page.locator(`.tools .switch label:has([value=${axis}])`).click();
  await page.locator(`.tools .switch .on [value=${axis}]`).waitFor({ state: "attached" });
}

// at waits until the charts show the values at the given place on the horizontal axis.
function at(place) {
  return page.waitForFunction((place) => document.querySelector(".chart .head .at").innerText === place, place);
}

// A chart never mixes runs of different games. The page shows only runs of the game in its address,
// and all runs that cannot be read. A report offers no choice of games.
async function oneGameAtATime(page, address) {
  const shown = async (what, ...runs) => {
    if (address) runs.push("damaged");
    await page.waitForFunction((runs) => [...document.querySelectorAll("[data-run]")].map((r) => r.dataset.run).join() === runs.join(), runs)
      .catch(async () => wrong(`${what} there are the runs ${await page.locator("[data-run]").allInnerTexts()}, not ${runs}`));
  };
  check(!(await page.locator(".chart .about p").first().isVisible()), "the prose of a chart is shown before anybody asks");
  await page.locator(".chart .about summary").first().click();
  const said = await text(page, ".chart .about p");
  check(said.includes("These matches select no models"), `of its ladder the page says ${said}`);
  await page.locator(".chart .about summary").first().click();
  const games = await page.locator(".top .game option").allInnerTexts();
  check(games.join() === "tictactoe (1),onitama (2)", `the games are ${games}`);
  await shown("at first", "small");
  await page.selectOption(".top .game select", "onitama");
  await shown("of onitama", "other", "third");
  await unticked(page);
  if (address) {
    await page.reload();
    await shown("after a reload", "other", "third");
    await page.goto(`${address}#runs?run=small`);
    await shown("of the game of a run", "small");
    check((await text(page, "[data-run=damaged]")).includes("run.yaml"), "the row of a damaged run does not say what is wrong");
    await page.goto(`${address}#runs?run=none`);
    await page.locator("[role=alert]").getByText("no run none").waitFor();
  }
  await page.selectOption(".top .game select", "tictactoe");
  await shown("of the first game again", "small");
}

// Hiding a run removes it from the charts, but not from the table, where the user can show it
// again.
async function unticked(page) {
  const row = page.locator("[data-run]").nth(1), box = row.getByRole("checkbox");
  const { height } = await row.boundingBox();
  const curves = () => page.locator(".chart").first().locator(".key").count();
  const all = await curves();
  const become = (n) => page.waitForFunction((n) => document.querySelector(".chart").querySelectorAll(".key").length === n, n);
  await box.uncheck();
  await become(all / 2);
  check((await row.boundingBox()).height === height, `the row of an unticked run has ${JSON.stringify(await row.boundingBox())}, of a ticked one the height ${height}`);
  await look(page, `unticked-${page.url().split(":")[0]}`);
  await box.check();
  await become(all);
}

// A page that is not visible sends no requests until it becomes visible.
async function unseen() {
  const page = await open();
  await page.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => globalThis.seen === undefined }));
  let asked = 0;
  page.on("request", (r) => r.url().includes("api/runs") && asked++);
  await page.goto(address);
  await page.locator("main .loading").waitFor();
  await page.waitForLoadState("networkidle");
  check(asked === 0, `a page that nobody sees asks ${asked} times`);
  await page.evaluate(() => { globalThis.seen = true; document.dispatchEvent(new Event("visibilitychange")); });
  await page.locator("[data-run]").first().waitFor();
  await page.close();
}

// This function tests the games of a run: it sorts them, opens one, and steps through it with the
// buttons, the keyboard and the curve.
async function games() {
  await page.click("nav a[href='#games']");
  const sorted = async (name, part, down) => {
    await page.getByRole("link", { name, exact: true }).click();
    await page.locator(".chips [aria-current]", { hasText: name }).waitFor();
    await page.waitForFunction(([part, down]) => {
      const all = [...document.querySelectorAll(".card")].map((c) => Number(new RegExp(part).exec(c.innerText)[1]));
      return all.length > 3 && all.every((n, i) => i === 0 || (down ? n <= all[i - 1] : n >= all[i - 1])) && all[0] !== all[all.length - 1];
    }, [part, down]).catch(async () => wrong(`sorted by "${name}" the games are ${await page.locator(".card").allInnerTexts()}`));
  };
  await page.locator(".card").first().waitFor();
  await sorted("most surprising", "surprise ([\\d.]+)", true);
  await sorted("longest", "(\\d+) moves", true);
  await sorted("shortest", "(\\d+) moves", false);
  const explained = await text(page, ".list .explained");
  check(explained.includes("Swing is the largest change") && explained.includes("Surprise is the average"), `the figures are explained as ${explained}`);
  check((await page.locator(".card .thumb svg.board").count()) === (await page.locator(".card").count()), "games without a picture");
  await page.getByRole("link", { name: "Crosses won", exact: true }).click();
  await page.waitForFunction(() => { const all = [...document.querySelectorAll(".card .winner")]; return all.length > 0 && all.every((w) => w.innerText === "Crosses won"); });
  await page.getByRole("link", { name: "all games", exact: true }).click();
  await page.getByRole("link", { name: "largest swing", exact: true }).click();
  await page.locator(".chips [aria-current]", { hasText: "largest swing" }).waitFor();
  await page.locator(".card").first().click();
  await page.locator(".viewer .board").waitFor();
  const last = Number((await text(page, ".stepping .at")).split(" ")[2]);
  check(!(await text(page, ".stepping .at")).startsWith("0 "), "a game from the list does not open at its turning point");
  await page.getByRole("button", { name: "First position" }).click();
  await page.getByRole("button", { name: "Next move" }).click();
  await page.waitForFunction(() => document.querySelector(".stepping .at").innerText.startsWith("1 "));
  await page.keyboard.press("End");
  await page.waitForFunction((n) => document.querySelector(".stepping .at").innerText.startsWith(`${n} `), last);
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((n) => document.querySelector(".stepping .at").innerText.startsWith(`${n} `), last - 1);
  const curve = await page.locator(".value-curve svg").boundingBox();
  await page.mouse.click(curve.x + curve.width / 2, curve.y + 20);
  await page.waitForFunction((n) => Math.abs(parseInt(document.querySelector(".stepping .at").innerText) - n / 2) <= 1, last);
  await thought("network");
  const shares = (await page.locator(".policy tbody td:nth-child(2)").allInnerTexts()).map(parseFloat);
  check(shares.length > 0 && shares.every((s) => s >= 0 && s <= 100) && shares.reduce((a, b) => a + b) > 50, `the search's policy is ${shares}`);
  await page.click(".theme");
  await page.click("a.analyse");
  await page.locator(".board").waitFor();
  await page.goto(`${address}#games?source=gate&of=0`);
  await page.getByRole("link", { name: "candidate lost" }).click();
  // The list must contain only games that 000000, the candidate of generation 0, lost.
  await page.waitForFunction(() => [...document.querySelectorAll(".card")].every((c) => {
    const [, first, second] = /(\w+) – (\w+),/.exec(c.innerText) ?? [], lost = c.querySelector(".winner").matches(".first") ? second : first;
    return !c.querySelector(".winner").matches(".draw") && lost === "000000";
  }) && document.querySelector(".chips [aria-current]:not(:first-child)"));
  await page.locator(".card").first().click();
  await thought("search");
  await page.reload();
  await page.locator(".viewer .board").waitFor();

  // If an address asks for something that does not exist, the page says what is missing.
  for (const bad of ["#games?generation=99&number=1", "#games?of=99", "#games?generation=x&number=y", "#games?source=else", "#games?run=none&generation=0&number=-1"]) {
    await page.goto("about:blank");
    await page.goto(address + bad);
    await page.locator("[role=alert]").first().waitFor();
    check((await page.locator("[role=alert]").first().innerText()).length > 5, `${bad} is refused without a word`);
  }
  await ask("damage");
  await page.goto("about:blank");
  await page.goto(`${address}#games?of=0`);
  await page.waitForFunction(() => document.querySelector("[role=alert]")?.innerText.includes("shard"));
}

// thought waits until the page shows the curve of the recomputed values. The string whose is
// "search" or "network".
async function thought(whose) {
  await page.waitForFunction((whose) => document.querySelector(`.value-curve path.${whose}`)?.getAttribute("d")?.length > 10, whose)
    .catch(async () => wrong(`there is no curve of the ${whose}: ${await page.locator(".viewer").innerText().catch(() => page.url())}`));
}

// This function opens a report from a file, offline.
async function fromDisk() {
  const requests = [];
  const file = await open({ offline: true });
  file.on("request", (r) => requests.push(r.url()));
  await file.goto(pathToFileURL(report).href);
  await file.locator(".chart .curve").first().waitFor();
  await look(file, "report");
  await oneGameAtATime(file);
  check(requests.every((r) => r.startsWith("file:") || r.startsWith("data:")), `the report asks for ${requests}`);
}
