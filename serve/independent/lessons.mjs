// This script tests the illustrated rules, a series of lessons. It plays the five moves of each
// lesson with the mouse, by touch or with the keyboard.

const moves = {
  onitama: [["E1", "E2"], ["C3", "D4"], ["C1", "D2"], ["C3", "D4"], ["C3", "C5"]],
  wallonitama: [["e1", "d1"], ["b3"], ["d3"], ["e3", "c3"], ["c3", "a3"]],
  oanquan: ["9+", "11-", "8-", "8+", "8+"],
  patchwork: ["3", "a", "2", "", "1"],
};

const play = {
  // By mouse.
  onitama: async (page, cells) => { for (const c of cells) await page.locator(`.board .can[data-cell=${c}]`).click(); },
  // By keys.
  wallonitama: async (page, cells) => { for (const c of cells) { await page.locator(`.board .can[data-cell=${c}]`).focus(); await page.keyboard.press("Enter"); } },
  // By touch.
  oanquan: async (page, way) => { await page.locator(`.board .can[data-field="${parseInt(way)}"]`).tap(); await page.locator(`.board .way[data-way="${way}"]`).tap(); },
  // With the keyboard: press the key until the board reacts. Every key except a (advance) picks up
  // a patch; put it on the first place where it fits.
  patchwork: async (page, key) => {
    const done = key === "a" ? "#told.right" : ".quilt.open";
    while (key && !(await page.locator(done).waitFor({ timeout: 500 }).then(() => true, () => false))) await page.keyboard.press(key);
    if (key !== "a") { await page.keyboard.press("ArrowRight"); await page.keyboard.press("Enter"); }
  },
};

export async function lessons({ open, address, check, look }) {
  for (const game of [...Object.keys(moves), "patchwork-seven"]) {
    const [kind] = game.split("-");
    const page = await open(game === "oanquan" ? { hasTouch: true } : {});
    await page.goto(`${address}#play?game=${game}`);
    await page.locator("#to-rules").click();
    await page.locator(".rules li:nth-child(6) .board").waitFor();
    check((await page.locator(".rules [role=alert]").count()) === 0, `the pictures of the rules of ${game} say ${await page.locator(".rules [role=alert]").allInnerTexts()}`);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    check(height <= page.viewportSize().height, `the rules of ${game} are ${height} pixels high, more than a screen`);
    const hidden = await page.locator(".rules .cards-board").evaluateAll(overlaps);
    check(!hidden.length, `in the pictures of the rules of ${game} there is no room for ${hidden}`);
    if (kind === "patchwork") check((await page.locator(".part-quilt .quilt .patch:not([class*=cloth], .leather)").count()) === 0, `the rules of ${game} show cloth that is no patch`);
    await page.getByRole("link", { name: "Lesson" }).click();
    await page.locator("#asked").waitFor();
    if (game === "onitama") await stumble(page, check);
    for (const [i, move] of moves[kind].entries()) {
      await page.waitForFunction((i) => document.querySelector(".lesson h1 small")?.innerText === `${i + 1} of 5` && document.querySelector(".board .can, .board [tabindex='0']"), i);
      await play[kind](page, move);
      await page.locator("#told.right").waitFor().catch(async () => check(false, `the move ${move} in the lesson of ${game} is told ${await page.locator("#told").innerText()}`));
      check((await page.locator("#told").innerText()).length > 10, `move ${i + 1} of the lesson of ${game} is made without a word`);
      if (i === 0) await look(page, `lesson-${game}`);
      if (i < 4) await page.locator("#next").click();
    }
    await page.locator("#learnt").waitFor();
    await page.locator(".lesson a.primary").click();
    await page.waitForFunction((game) => new URLSearchParams(location.hash.split("?")[1]).get("game") === game && document.querySelector("#new"), game);
    await page.context().close();
  }
}

// overlaps lists the column letters that overlap the board's frame, and the card names that are
// wider than their cards.
const overlaps = (boards) => boards.flatMap((svg) => {
  // high returns the height of a capital letter.
  const frame = svg.querySelector(".mat").getBBox(), high = (t) => 0.71 * parseFloat(getComputedStyle(t).fontSize);
  const letters = [...svg.querySelectorAll(".axis text:last-child")].filter((t) => t.getStartPositionOfChar(0).y - high(t) < frame.y + frame.height);
  const names = [...svg.querySelectorAll(".card text")].filter((t) => t.getBBox().width > t.parentNode.querySelector(".paper").getBBox().width);
  return [...letters, ...names].map((t) => t.textContent);
});

// If a move is wrong, the page says so. The user can try again or ask for the right move.
async function stumble(page, check) {
  await play.onitama(page, moves.onitama[0]);
  await page.locator("#next").click();
  await page.waitForFunction(() => document.querySelector(".lesson h1 small")?.innerText === "2 of 5" && document.querySelector(".board .can"));
  await play.onitama(page, ["A1", "A2"]);
  await page.locator("#told.wrong").waitFor();
  check((await page.locator("#next").count()) === 0, "after a wrong move the lesson goes on");
  await page.locator("#show").click();
  await page.locator(".board .arrows .best").waitFor({ state: "attached" });
  await page.goto("about:blank");
  await page.goBack();
}
