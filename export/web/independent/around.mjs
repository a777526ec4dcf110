// These functions test everything in the page except playing a game: analysis, variations, review,
// links, files, setting up positions by text and by clicking, rules, themes, motion, and broken
// input.
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faults, hashOf, movedOn, picture, settled, stateOf, text } from "./site.mjs";

export async function around({ page, game }) {
  const result = { axe: [], broken: {} };
  result.broken.position = await brokenLinks(page, game, result.broken);
  await page.locator("label:has(#mode-analyse)").click();
  await page.locator("#new").click();
  await settled(page);
  if (game === "oanquan") await starts(page);
  await rankedMoves(page, result);
  await variations(page, result);
  await review(page, result);
  await textsAndFiles(page, result, game);
  await page.locator(".theme").click();
  result.axe.push(...(await faults(page, "the other theme")));
  await picture(page, `${game}-dark`);
  await page.locator(".theme").click();
  await motion(page);
  result.motion = true;
  return result;
}

// A new game begins with the usual start position. A game with a random start begins with another.
async function starts(page) {
  const usual = "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0";
  const start = async () => new URLSearchParams((await hashOf(page)).split("?")[1]).get("position");
  if ((await start()) !== usual) throw new Error(`a new game begins with ${await start()}`);
  for (let tries = 0; (await start()) === usual; tries++) { // one random start in ten is the usual one
    if (tries === 20) throw new Error("a random start is always the usual one");
    await page.locator("#dealt").click();
    await settled(page);
  }
  await page.locator("#new").click();
  await settled(page);
  if ((await start()) !== usual) throw new Error(`after a random start a new game begins with ${await start()}`);
}

// If the page cannot parse its address, it shows the error in one line and begins a new game.
async function brokenLinks(page, game, broken) {
  const start = new URLSearchParams((await hashOf(page)).split("?")[1]).get("position");
  const of = (more) => "#play?" + new URLSearchParams({ game, ...more });
  for (const [what, hash] of Object.entries({ moves: of({ position: start, moves: "zz9" }), brackets: of({ position: start, moves: "(a" }), game: of({ game: "chess", position: "x" }), position: of({ position: "nonsense" }) })) {
    await page.locator("#new").click();
    await settled(page); // until then, the page could overwrite the address set below
    await page.waitForFunction(() => !document.querySelector("#error"));
    await page.evaluate((hash) => { location.hash = hash; }, hash);
    await page.waitForSelector("#error").catch((e) => { throw new Error(`${what} ${hash} ${start}: ${e}`); });
    await settled(page);
    broken[what] = await text(page, "#error");
    broken[`${what} goes on`] = (await stateOf(page)).state === "person";
  }
  await page.evaluate(() => { location.hash = "#%00?%"; });
  await page.waitForFunction(() => location.hash.startsWith("#play?game="));
  await settled(page);
  broken.page = (await page.locator("#error").count()) ? await text(page, "#error") : "";
  return broken.position;
}

// Tests the list of moves that a running search ranks: the visit counts grow, and the list keeps
// its order while the pointer is over it.
async function rankedMoves(page, result) {
  const row = page.locator(".ranked li button");
  await page.waitForSelector("#visits");
  const visits = () => page.evaluate(() => parseInt(document.querySelector("#visits")?.textContent.replace(/\D/g, "") ?? "0"));
  const grown = (n) => page.waitForFunction((n) => {
    const e = document.querySelector("#visits");
    return parseInt(e?.textContent.replace(/\D/g, "") ?? "0") > n && "more" || e?.dataset.running === "false" && "proven";
  }, n).then((h) => h.jsonValue());
  result.grows = await grown(await visits());
  for (let i = 0; i < 4 && (await stateOf(page)).state === "person"; i++) {
    const { moves } = await stateOf(page);
    await row.first().waitFor();
    const box = await row.nth(Math.min(i, (await row.count()) - 1)).boundingBox();
    await page.mouse.move(box.x + 20, box.y + 6);
    await page.mouse.move(box.x + 22, box.y + 8);
    await page.mouse.down();
    const under = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest("li").querySelector(".what").textContent, [box.x + 22, box.y + 8]);
    await grown(await visits()); // by now, the search would have sorted the list again
    await page.mouse.up();
    await movedOn(page, moves);
    const played = await text(page, ".record [aria-current] .what");
    if (!played.startsWith(under)) throw new Error(`a click on ${under} played ${played}`);
    await page.mouse.move(5, 300);
  }
}

// Playing a different move in an earlier position starts a variation. The old line remains in the
// list of moves and in the link, and a key returns to it.
async function variations(page, result) {
  const rows = async () => (await page.locator(".record code").allTextContents()).join();
  const old = await rows(), { moves } = await stateOf(page);
  let at = moves;
  do {
    await page.locator("#go-back").click();
    at--;
    await page.waitForSelector(".ranked li");
  } while (at > moves - 2 || (await page.locator(".ranked li").count()) < 2);
  await page.locator("#think").click(); // stop the search, so that the order stays the same
  const known = await page.locator(".record button").nth(at).locator(".what").textContent();
  await page.locator(".ranked li button").filter({ hasNotText: known.replace(/ [?!]+.*$/, "") }).first().click();
  await movedOn(page, at);
  const aside = await page.locator(".record .aside code").allTextContents();
  await picture(page, `${game(page)}-variations`);
  await page.keyboard.press("v");
  await page.locator("#go-last").click();
  result.line = (await stateOf(page)).moves;
  const kept = await rows(), link = await hashOf(page);
  await page.locator("#new").click();
  await page.waitForFunction(() => document.body.dataset.moves === "0");
  await page.evaluate((link) => { location.hash = link; }, link);
  await movedOn(page, 0);
  result.variations = aside.length >= 2 && (await rows()) === kept && (await hashOf(page)) === link && (await stateOf(page)).moves === moves;
  await page.locator(".record .variation button").first().click();
  await page.locator("#promote").click();
  await page.locator(".record .variation button").first().click();
  await page.locator("#remove").click();
  await page.waitForFunction(() => !document.querySelector(".record .variation"));
  result.removed = (await rows()) !== old && (await rows()).length > 0;
}

const game = (page) => new URL(page.url()).pathname.split("/")[1];

// While the user points at a move, the board shows the line of play that the search expects after
// it. A review evaluates the moves of a game and draws their values as a curve.
async function review(page, result) {
  if ((await stateOf(page)).state === "over") await page.locator("#go-back").click();
  await page.locator("#think").click();
  await page.waitForSelector(".ranked li");
  await page.locator(".ranked li button").last().hover();
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("Line of the search"));
  await page.mouse.move(5, 300);
  await page.waitForFunction(() => !document.querySelector("#status").textContent.startsWith("Line of"));
  await page.locator("#think").click(); // stop the search, which would slow down the review
  await page.locator("#review").click();
  await page.waitForFunction(() => !document.querySelector("#review").textContent.includes("Stop"));
  result.curve = await page.locator(".curve .line").count();
  await picture(page, `${game(page)}-analysis`);
  await page.locator("#go-first").click();
  result.jumped = (await stateOf(page)).moves;
  await page.locator("#go-last").click();
}

// Positions and games can be entered by text, by file and by clicking. The page shows the rules.
async function textsAndFiles(page, result, game) {
  const link = await hashOf(page), { moves } = await stateOf(page);
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
  const saved = await readFile(await file.path(), "utf8");
  await page.locator("#new").click();
  await settled(page);
  await page.locator("#setup summary").click();
  await page.locator("#text").fill(saved);
  await page.locator("#use").click();
  await page.waitForFunction((n) => +document.body.dataset.moves === n, moves);
  result.read = (await hashOf(page)) === link;
  await page.locator("#setup summary").click(); // the form opens with the position that was read
  const old = await page.inputValue("#text");
  if (game === "oanquan") await page.locator(".setup [data-tool='1']").click();
  await page.locator({ oanquan: ".setup [data-field='3']", patchwork: ".setup .two-quilts .can" }[game] ?? ".setup [data-cell]").first().click();
  await page.waitForFunction((t) => document.querySelector("#text").value !== t, old);
  result.clicked = true;
  await page.locator("#rules summary").click();
  await page.waitForSelector("#rules h3");
  result.rules = (await text(page, "#rules")).length;
  result.axe.push(...(await faults(page, "rules and set-up")));
  // If a text or a file cannot be read, the page shows the error in one line, and the game goes on.
  const told = (await page.locator("#setup .error").count()) ? await text(page, "#setup .error") : "";
  await page.locator("#text").fill("nonsense\nand more");
  result.broken.text = await page.waitForFunction((old) => {
    const now = document.querySelector("#setup .error")?.textContent;
    return now && now !== old && now;
  }, told).then((h) => h.jsonValue());
  const bad = join(tmpdir(), `dojo-bad-${process.pid}-${game}.txt`);
  await writeFile(bad, saved.trimEnd() + "\nzz9\n");
  await page.locator("input[type=file]").setInputFiles(bad);
  await page.waitForFunction(() => document.querySelector("#setup .error")?.textContent.includes("dojo-bad"));
  result.broken.file = await text(page, "#setup .error");
  await rm(bad);
  await page.locator("#setup summary").click();
}

// A turn is animated, unless the user has asked for reduced motion.
async function motion(page) {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.locator("#new").click();
  await settled(page);
  await page.locator("#think").click();
  await page.waitForSelector(".ranked li");
  await page.evaluate(() => {
    window.seen = new Set();
    const look = () => {
      window.seen.add(document.querySelector(".board").innerHTML + [...document.querySelectorAll(".glides")].map((e) => getComputedStyle(e).transform));
      if (window.seen.size <= 4) requestAnimationFrame(look);
    };
    look();
  });
  await page.locator(".ranked li button").first().click();
  await page.mouse.move(5, 300); // leave the list of moves, so that no line of play is animated
  await movedOn(page, 0);
  await page.waitForFunction(() => window.seen.size > 4);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.locator("#think").click();
}
