// This script tests the boards of the games, their position editors, and the boards on a phone.
import { amazons } from "./amazons.mjs";
import { breakthrough } from "./breakthrough.mjs";

const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
const moves = async (page) => Number(await page.locator("body").getAttribute("data-moves"));
const place = async (locator) => { const { x, y, width } = await locator.boundingBox(); return [x, y, width].map(Math.round).join(); };

export async function boards({ open, address, check, look }) {
  const begin = async (page, game, seats = { first: "person", second: "person" }) => {
    await page.goto("about:blank");
    await page.goto(`${address}#play?game=${game}`);
    await page.locator(".board").waitFor();
    await page.locator("label:has(#mode-play)").click();
    await page.selectOption("#level", "0");
    for (const [side, who] of Object.entries(seats)) await page.selectOption(`#${side}`, who);
    await settled(page);
  };
  const page = await open();
  await begin(page, "patchwork", { first: "person", second: "bot" });
  await quilts(page, check);
  await look(page, "board-patchwork");
  // Patchwork with the 7×7 tile comes first in the list, because a bot can play it.
  const games = await page.locator("#game option").allInnerTexts();
  check(games.join("; ").includes("Patchwork, with the 7×7 tile; Patchwork; "), `the games are ${games.join("; ")}`);
  await page.selectOption("#game", "patchwork-seven");
  await page.locator(".seven-waits").waitFor();
  await settled(page);
  check(await page.locator("#hint").isEnabled(), "a bot of Patchwork with the tile gives no hint");
  await page.keyboard.press("a");
  await page.waitForFunction(() => +document.body.dataset.moves > 1);
  await page.selectOption("#game", "oanquan-traditional");
  await page.locator(".board .field").first().waitFor();
  await settled(page);
  check((await page.locator(".controls").innerText()).includes("Two people can play it") && (await page.locator("#hint").isDisabled()), "a variant without a bot does not say so");
  await begin(page, "onitama");
  await shrines(page, check);
  await look(page, "board-onitama");
  for (const [game, set] of Object.entries(setups)) {
    await begin(page, game);
    await page.locator("#setup summary").click();
    await page.locator(".setup").waitFor();
    await still(page, check, game);
    await set(page, change(page, check, game), check);
    await look(page, `set-up-${game}`);
  }
  await begin(page, "onitama", { first: "bot", second: "person" });
  await turned(page, check);
  await page.close();
  await flying(await open({ reducedMotion: "no-preference" }), begin, check);
  await underTheThumb(await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }), begin, check, look);
  await sameColours(open, begin, check, look);
  await breakthrough({ open, address, check, look });
  await amazons({ open, address, check, look });
}

// The quilt of the player to move is large, and it stays in the same place while the other player
// moves. No two patches look the same. The record shows which patch was bought and its price.
async function quilts(page, check) {
  await page.focus("#level");
  await page.keyboard.press("1");
  check((await page.inputValue("#level")) === "0", "the key of a patch chooses a level");
  await page.keyboard.press("Escape");
  const own = page.locator("[data-quilt='0']"), other = page.locator("[data-quilt='1']"), at = await place(own);
  check((await own.boundingBox()).width > 1.5 * (await other.boundingBox()).width, "one's own quilt is not larger than the other one");
  const cloths = await page.locator(".market .shape").evaluateAll((all) => all.map((s) => `${s.querySelector(".patch").getAttribute("class")} ${s.querySelector("path[style]").getAttribute("style")}`));
  check(cloths.length === 33 && new Set(cloths).size === 33, `${cloths.length} patches are of ${new Set(cloths).size} cloths`);
  for (let bought = false; !bought; ) {
    const before = await moves(page);
    if (await page.locator(".offer.can").count()) {
      await page.locator(".offer.can").first().click();
      await page.keyboard.press("ArrowRight");
      check((await page.locator(".time-track .ghost").count()) === 1, "the time board does not show where a patch in hand leads to");
      await page.keyboard.press("Enter");
      bought = true;
    } else await page.keyboard.press("a");
    await page.waitForFunction((n) => +document.body.dataset.moves > n, before);
    check((await place(own)) === at, `one's own quilt was at ${at} and is at ${await place(own)}`);
    await settled(page);
    check((await place(own)) === at, `after the bot one's own quilt was at ${at} and is at ${await place(own)}`);
  }
  const deals = page.locator(".record .deal:has(.shape):has(.price)");
  check((await deals.count()) > 0, "the record shows no patch with its price");
  check((await page.locator(".time-track text").count()) === 54, "the time board has not 54 squares");
}

// If the user plays only Red, Red's men are at the bottom of the board, and the user moves them by
// dragging.
async function turned(page, check) {
  const middle = async (selector) => { const { x, y, width, height } = await page.locator(selector).first().boundingBox(); return [x + width / 2, y + height / 2]; };
  const [, blue] = await middle(".shrine.of-first"), [, red] = await middle(".shrine.of-second");
  check(red > blue, "the board is not seen from Red's side");
  const before = await moves(page), from = await middle(".board [data-cell].can");
  await page.mouse.click(...from);
  const to = await middle(".board .target");
  await page.keyboard.press("Escape");
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
  if (await page.locator(".board .card.asked").count()) await page.locator(".board .card.asked").first().click();
  await page.waitForFunction((n) => +document.body.dataset.moves > n, before);
}

// useHere starts a game from the edited position. It waits until the game's board has replaced the
// position editor, because both have cells with the same names.
async function useHere(page) {
  await page.locator("#use-here:enabled").click();
  await page.locator(".setup").waitFor({ state: "detached" });
}

// The board shows the last move as an arrow with the name of the move's card, and announces the
// winner.
async function shrines(page, check) {
  check((await page.locator(".board .shrine").count()) === 2, "there are not two shrines");
  await page.locator("#setup summary").click();
  await page.fill("#text", "...../..W../...../...../....B 0 4,7 0,1 2 10");
  await useHere(page);
  await page.locator(".board [data-cell=C4].can").waitFor();
  await page.locator("#hint").click();
  check(await page.locator(".board .arrows path.best").waitFor({ timeout: 60_000 }).then(() => true, () => false), "a proven win has no arrow");
  await page.locator(".board [data-cell=C4].can").click();
  await page.locator(".board [data-cell=C5].target").click();
  const card = page.locator(".board .card.asked").first(), name = (await card.getAttribute("aria-label")).split(",")[0];
  await card.click();
  await page.locator(".board .win .ribbon").waitFor();
  check((await page.locator(".board .last-move text").textContent()) === name, `the last move is by ${name} and is called ${await page.locator(".board .last-move text").textContent()}`);
  check((await page.locator(".board .win .ribbon").textContent()) === "Blue wins: the shrine is reached", `a win is told as ${await page.locator(".board .win .ribbon").textContent()}`);
  check((await page.locator(".board .man.fallen").count()) === 1, "who has lost still stands");
  await page.locator("#setup summary").click();
  // Win in a position where all men are in the first and the last row. The ribbon that announces
  // the win must not cover any of them.
  await page.fill("#text", "bb.bb/...../...../...../wwWwB 0 0,1 2,3 4 0");
  await useHere(page);
  await page.locator(".board [data-cell=D1].can").click();
  await page.locator(".board [data-cell=E1].target").click();
  await page.locator(".board .win .ribbon").waitFor();
  const box = await page.locator(".board .win .ribbon").boundingBox(), men = await page.locator(".board .man").evaluateAll((all) => all.map((m) => m.getBoundingClientRect().toJSON()));
  check(men.length === 8 && men.every((m) => m.bottom < box.y || m.top > box.y + box.height), "the ribbon of a win hides a man");
}

// When a message about the position appears or vanishes, the board does not move. The test scrolls
// to the end of the page, because there the browser scrolls when the page becomes shorter.
async function still(page, check, game) {
  const board = page.locator(":is(.setup .two-quilts, .setup svg.board:not(.palette *))").first(), text = await page.inputValue("#text");
  const message = page.locator(".setup .error"), at = async () => Object.values(await board.boundingBox()).map(Math.round).join();
  const enter = (t) => page.locator("#text").evaluate((e, t) => { e.value = t; e.dispatchEvent(new Event("input", { bubbles: true })); }, t);
  for (const [what, state] of [["x", "visible"], [text, "detached"]]) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const before = await at();
    await enter(what);
    await message.waitFor({ state });
    check((await at()) === before, `${game}: a message that is ${state} moves the board from ${before} to ${await at()}`);
  }
}

// The dot of a player has the colour of the player's men.
async function sameColours(open, begin, check, look) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open({ colorScheme });
    for (const game of ["othello", "connectfour"]) {
      await begin(page, game);
      for (const n of game === "othello" ? [] : [1, 2]) {
        await page.keyboard.press(`${n}`);
        await page.waitForFunction((n) => +document.body.dataset.moves === n, n);
      }
      for (const forcedColors of ["active", "none"]) {
        await page.emulateMedia({ forcedColors });
        const [men, dots] = await page.evaluate(() => [[".board :is(.man, .disc).", " > circle", "fill"], [".controls .dot.", "", "backgroundColor"]].map(([before, after, what]) =>
          ["first", "second"].map((p) => getComputedStyle(document.querySelector(before + p + after))[what]).join(" and ")));
        check(men === dots, `${game}, ${colorScheme}, forced colours ${forcedColors}: the men are ${men}, the dots are ${dots}`);
      }
      await look(page, `dots-${game}-${colorScheme}`);
    }
    await page.close();
  }
}

// change returns a function that clicks on an element and checks that the text of the position
// changes. It waits until the page has the server's answer about the new position.
const change = (page, check, game) => async (what, selector) => {
  const old = await page.inputValue("#text");
  const answered = page.waitForResponse((r) => new URL(r.url()).pathname.endsWith("/read"), { timeout: 60_000 }).catch(() => {});
  await page.locator(`.setup ${selector}`).first().click();
  await page.waitForFunction((t) => document.querySelector("#text").value !== t, old, { timeout: 60_000 })
    .catch(() => check(false, `${game}: ${what} changes nothing`));
  await (await answered)?.finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};

// Each of these functions sets up a position of one game by clicks on the board.
const setups = {
  async onitama(page, changes, check) {
    await page.locator(".setup [data-tool='.']").click();
    await changes("nothing on a cell", "[data-cell=A5]");
    await page.locator(".setup [data-tool=b]").click();
    await changes("a man on a cell", "[data-cell=C3]");
    check((await page.inputValue("#text")).split("/")[2][2] === "b", `a red student on C3 gives ${await page.inputValue("#text")}`);
    await changes("who is to move", "[role=radio]:has(.dot.second)");
    await page.locator(".setup [data-card='4']").click();
    await changes("another card", ".deck button[aria-pressed=false]");
    await useHere(page);
    check((await page.locator(".board [data-cell=C3]").getAttribute("aria-label")).includes("red student"), "what was set up is not on the board");
    await page.locator("#setup summary").click();
  },
  async wallonitama(page, changes, check) {
    await page.emulateMedia({ forcedColors: "active" });
    const [on, off] = await page.evaluate(() => ["true", "false"].map((is) => getComputedStyle(document.querySelector(`.palette [aria-checked=${is}]`)).backgroundColor));
    check(on !== off, `with forced colours the man to put looks like the others: ${on}`);
    await page.emulateMedia({ forcedColors: "none" });
    await page.locator(".setup [data-tool=W]").click();
    await changes("the wall on a cell", "[data-cell=c2]");
    await changes("a square of a card", "[data-card='0'] .square");
    await changes("the turns that are left", ".stepper button:enabled");
  },
  async oanquan(page, changes, check) {
    await page.locator(".setup [data-tool='-all']").click();
    await changes("taking stones", "[data-field='3']");
    const bag = () => page.locator(".setup .bag").innerText();
    await page.locator("#use-here:disabled").waitFor();
    check((await bag()).includes("5 stones"), `after five stones were taken the bag says ${await bag()}`);
    await page.locator(".setup [data-tool='5']").click();
    await changes("putting stones", "[data-won='1']");
    await page.locator("#use-here:enabled").waitFor();
    check((await bag()).includes("0 stones"), `after they were put the bag says ${await bag()}`);
    await changes("a big stone", "[data-king='0']");
  },
  async patchwork(page, changes) {
    await changes("a cell of a quilt", ".two-quilts [data-at='4,4']");
    await changes("buttons", ".stepper button:enabled");
    await changes("the token", ".time-track .can >> nth=4");
    await changes("the circle", ".patch-chip >> nth=3");
    await page.locator(".setup [data-tool=out]").click();
    await changes("a patch that is taken out", ".patch-chip >> nth=2");
    await changes("a patch that is put back", ".out .patch-chip");
  },
  async tictactoe(page, changes) {
    await changes("a cell", "[data-cell=b2]");
  },
};

// In Ô ăn quan the stones fly to their fields. No stone is lost, and the user can skip the
// animation.
async function flying(page, begin, check) {
  // Timers of this page run fifty times slower, so that the stones are still moving when the test
  // looks, even on a busy machine.
  await page.addInitScript(() => {
    const wait = globalThis.setTimeout;
    globalThis.setTimeout = (f, ms, ...rest) => wait(f, ms >= 100 ? 50 * ms : ms, ...rest);
  });
  await begin(page, "oanquan", { first: "person", second: "bot" });
  const stones = () => page.locator(".board .stone").evaluateAll((all) => all.filter((s) => s.querySelector(".dan")).map((s) => s.style.transform));
  const before = await stones();
  check(before.length === 50, `there are ${before.length} small stones`);
  await page.locator(".board .field.can").nth(2).click();
  await page.locator(".board .way").first().click();
  await page.locator(".skip-turn").waitFor();
  await page.locator(".board .stone.held").first().waitFor();
  const now = await stones();
  check(now.length === 50 && now.some((s, i) => s !== before[i]), `of ${now.length} stones none flies`);
  await page.keyboard.press("Escape");
  // Escape has skipped the animation, so the bot moves without waiting for the end of the
  // animation.
  await page.waitForFunction(() => +document.body.dataset.moves === 2);
  await page.locator(".skip-turn").click();
  await settled(page);
  check((await page.locator(".skip-turn").count()) === 0, "a turn that was skipped goes on");
  check((await stones()).length === 50, "a stone was lost on the way");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.locator("#second").selectOption("person");
  const after = await moves(page);
  await page.locator(".board .field.can").first().click();
  await page.locator(".board .way").first().click();
  await page.waitForFunction((n) => +document.body.dataset.moves > n, after);
  check((await page.locator(".skip-turn").count()) === 0, "stones fly for those who asked for less motion");
  await page.close();
}

// On a phone, the buttons that step through a game are at the bottom of the screen, and each step
// scrolls to the board.
async function underTheThumb(page, begin, check, look) {
  for (const game of ["onitama", "patchwork", "oanquan"]) {
    await begin(page, game);
    await page.locator("label:has(#mode-analyse)").tap();
    for (let n = 0; n < 2; n++) {
      await page.locator(".ranked li button").first().tap();
      await page.waitForFunction((n) => +document.body.dataset.moves > n, n);
      await settled(page);
    }
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const bar = await page.locator(".steps-bar").boundingBox();
    check(Math.abs(bar.y + bar.height - 844) < 2, `on a phone the toolbar of ${game} ends at ${bar.y + bar.height}`);
    await page.locator("#thumb-back").tap();
    await page.waitForFunction(() => +document.body.dataset.moves === 1);
    const board = await page.locator(".board").first().boundingBox();
    check(board.y > -10 && board.y < 200, `after a step back on a phone the board of ${game} is at ${board.y}`);
    await page.locator("#thumb-forward").tap();
    await page.waitForFunction(() => +document.body.dataset.moves === 2);
    await look(page, `thumb-${game}`);
    await page.locator("#setup summary").tap();
    await page.locator(".setup").waitFor();
    await still(page, check, game);
  }
  await page.close();
}
