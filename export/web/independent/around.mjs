// Tries what lies around a game in Chromium: node around.mjs FOLDER [PICTURES]. Analysis, review, links,
// files, positions from text and by clicking, rules, themes, small screens, and broken input.
// Prints what the page came to as JSON.
import { mkdir, readFile, stat, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faults, serve, settled, stateOf } from "./site.mjs";

const [folder, pictures] = process.argv.slice(2);
const site = await serve(folder);
const result = { axe: [], broken: {}, pictures: 0 };
if (pictures) await mkdir(pictures, { recursive: true });
const picture = async (page, name) => {
  if (!pictures) return;
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  result.pictures++;
};
let page = await site.open();
const name = (await page.title()).replace("dojo: ", "");
/** The address's link, when what has just been drawn has been written into it. */
const hash = () => page.evaluate(async () => {
  for (let i = 0; i < 3; i++) await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  return location.hash;
});

// Some moves of the search's own, a line looked at, the review.
await page.locator("label:has(#mode-analyse)").click();
for (let i = 0; i < 4 && (await stateOf(page)).state === "person"; i++) {
  // The list sorts itself while the search runs: a click may meet it as it moves, and is tried again.
  for (let tries = 1; (await stateOf(page)).moves <= i; tries++) {
    await page.locator(".ranked li button").first().click();
    await page.waitForFunction((n) => +document.body.dataset.moves > n, i, { timeout: 15000 }).catch((e) => { if (tries === 4) throw e; });
  }
  await settled(page);
}
const visits = () => page.evaluate(() => parseInt(document.querySelector("#visits")?.textContent.replace(/\D/g, "") ?? "0"));
await page.waitForSelector("#visits");
const before = await visits();
result.grows = await page.waitForFunction((n) => {
  const e = document.querySelector("#visits");
  return parseInt(e?.textContent.replace(/\D/g, "") ?? "0") > n && "more" || e?.dataset.running === "false" && "proven";
}, before).then((h) => h.jsonValue());
await page.mouse.move(5, 300);
await page.locator(".ranked li button").last().hover();
await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("A line of the search"));
await page.mouse.move(5, 300);
await page.waitForFunction(() => !document.querySelector("#status").textContent.startsWith("A line"));
await picture(page, "analysis");
await page.locator("#review").click();
await page.waitForFunction(() => !document.querySelector("#review").textContent.includes("Stop"));
result.curve = await page.locator(".curve .line").count();
await page.locator("#go-first").click();
result.jumped = (await stateOf(page)).moves;
await page.locator("#go-last").click();

// What a link and a file carry.
const link = await hash(), status = await page.textContent("#status"), moves = (await stateOf(page)).moves;
const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
const saved = await readFile(await file.path(), "utf8");
const other = await site.open(link, { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true });
result.linked = (await stateOf(other)).moves === moves && (await other.textContent("#status")) === status;
result.wide = await other.evaluate(() => document.documentElement.scrollWidth);
result.axe.push(...(await faults(other, "dark, on a phone")));
await picture(other, "phone");
await other.close();

// Positions and games by text, file and clicking; the rules.
await page.locator("#new").click();
await settled(page);
await page.locator("#setup summary").click();
await page.locator("#text").fill(saved);
await page.locator("#use").click();
await page.waitForFunction((n) => +document.body.dataset.moves === n, moves).catch(async (e) => {
  throw new Error(`of ${moves} moves the saved game has ${(await stateOf(page)).moves}: ${await page.inputValue("#text")} ${await page.locator(".error").allTextContents()}`);
});
result.read = await hash() === link;
const setup = page.locator("#setup .setup button, #setup .setup input[type=number]").first();
const old = await page.inputValue("#text");
if ((await setup.evaluate((e) => e.tagName)) === "BUTTON") await setup.click();
else await setup.fill("3");
await page.waitForFunction((t) => document.querySelector("#text").value !== t, old);
result.clicked = true;
await page.locator("#rules summary").click();
await page.waitForSelector("#rules h3");
result.rules = (await page.textContent("#rules")).length;
result.axe.push(...(await faults(page, "rules and set-up")));

// The other theme.
await page.locator(".theme").click();
result.axe.push(...(await faults(page, "the other theme")));
await picture(page, "dark");

// What cannot be read is said in a line, and the game goes on.
const told = (await page.locator("#setup .error").count()) ? await page.textContent("#setup .error") : "";
await page.locator("#text").fill("nonsense\nand more");
result.broken.text = await page.waitForFunction((old) => {
  const now = document.querySelector("#setup .error")?.textContent;
  return now && now !== old && now;
}, told).then((h) => h.jsonValue());
const bad = join(tmpdir(), `dojo-bad-${process.pid}.txt`);
await writeFile(bad, saved.trimEnd() + "\nzz9\n");
await page.locator("input[type=file]").setInputFiles(bad);
await page.waitForFunction(() => document.querySelector("#setup .error")?.textContent.includes("dojo-bad"));
result.broken.file = await page.textContent("#setup .error");
for (const [what, where] of [["position", "#play?game=GAME&position=nonsense"], ["moves", link + (moves ? ",zz9" : "&moves=zz9")], ["game", "#play?game=chess&position=x"], ["page", "#%00?%"]]) {
  const q = await site.open(where.replace("GAME", encodeURIComponent(new URLSearchParams(link.split("?")[1]).get("game"))));
  result.broken[what] = (await q.locator("#error").count()) ? await q.textContent("#error") : "";
  result.broken[what + " goes on"] = (await stateOf(q)).state === "person";
  await q.close();
}

// With motion: what a turn does is shown in steps.
const moving = await site.open("", { reducedMotion: "no-preference" });
await moving.locator("label:has(#mode-analyse)").click();
await moving.waitForSelector(".ranked li");
await moving.evaluate(() => {
  window.seen = new Set();
  const look = () => { window.seen.add(document.querySelector(".board").innerHTML + [...document.querySelectorAll(".glides")].map((e) => getComputedStyle(e).transform)); requestAnimationFrame(look); };
  look();
});
await moving.locator(".ranked li button").first().click();
await moving.waitForFunction(() => window.seen.size > 4);
result.moves = true;

let weight = 0;
for (const f of await readdir(folder)) if (!/\.(wasm|safetensors)$/.test(f)) weight += (await stat(join(folder, f))).size;
Object.assign(result, { name, weight, errors: site.errors });
await site.close();
console.log(JSON.stringify(result));
