// This function plays a whole game by clicks, by dragging, or only with keys. The moves are random,
// but the same in each run of a game.
import { dice, faults, picture, settled, stateOf, text } from "./site.mjs";

export async function play({ page, game, way }) {
  const result = { axe: [], undone: false, hinted: false, acts: 0 };
  const player = playerOf(page, game, way, result);
  await page.locator("label:has(#mode-play)").click();
  await page.selectOption("#level", "0");
  await page.locator("#new").click();
  await settled(page);
  if (way === "keys") await page.evaluate(() => document.activeElement.blur());
  for (let s = await stateOf(page); s.state !== "over"; s = await stateOf(page)) {
    if (result.acts++ > 2000) throw new Error("no end of moves");
    if (s.moves >= 2 && !result.undone) {
      await (way === "keys" ? page.keyboard.press("u") : page.locator("#undo").click());
      await settled(page);
      result.undone = (await stateOf(page)).moves < s.moves;
      continue;
    }
    if (!result.hinted) await hint(page, way, game, result);
    await player[way]();
    await settled(page);
  }
  await picture(page, `${game}-over`);
  return Object.assign(result, await stateOf(page), {
    status: await text(page, "#status"), speed: await text(page, "#speed"), title: await page.title(), footer: await text(page, "footer"),
    listed: await page.locator(".record .played").count(),
  });
}

// A hint lists the ranked moves. While the user points at one, the board shows the line of play
// that the search expects after it.
async function hint(page, way, game, result) {
  await (way === "keys" ? page.keyboard.press("h") : page.locator("#hint").click());
  await page.waitForSelector(".ranked li");
  result.hinted = true;
  if (way !== "click") return;
  await page.locator(".ranked li button").first().hover();
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("Line of the search"));
  await page.mouse.move(5, 300);
  await page.waitForFunction(() => !document.querySelector("#status").textContent.startsWith("Line of"));
  result.axe.push(...(await faults(page, "in a game")));
  await picture(page, `${game}-play`);
}

/**
 * Returns the ways to play: click, drag and keys. Each is a function that plays a move, or a part
 * of a move.
 */
function playerOf(page, game, way, result) {
  // These seeds give short games.
  const random = dice(/onitama/.test(game) && way === "click" ? 2 : 7);
  const patchwork = game === "patchwork";
  const seat = () => page.evaluate(() => document.querySelector(".quilt-side.mine .quilt").dataset.quilt);

  // overFit looks for a square of the player's quilt on which the patch in hand fits, and reports
  // whether it found one. It moves the pointer from square to square, and stops where the patch
  // fits. It tries a normal patch in all four rotations on some squares, and a special patch on all
  // squares.
  async function overFit(press) {
    const box = await page.locator(`[data-quilt="${await seat()}"]`).boundingBox();
    const first = random(81), special = !(await page.locator("[data-advance]").count());
    for (let turn = 0; turn < (special ? 1 : 4); turn++) {
      if (turn > 0) await press();
      for (let i = 0; i < 81; i += special ? 1 : 4) {
        const n = (first + i * 5) % 81;
        await page.mouse.move(box.x + ((n % 9) + 0.5) * (box.width / 9), box.y + (Math.floor(n / 9) + 0.5) * (box.height / 9));
        if (await page.locator(".preview.fits").count()) return true;
      }
    }
    return false;
  }

  const ways = {
    // click clicks on a random item that can be chosen.
    async click() {
      if (patchwork && (await page.locator(".quilt.open").count())) {
        if (await overFit(() => page.locator(".patch-tools button", { hasText: "Turn" }).click({ force: true, timeout: 1000 }).catch(() => {}))) {
          await page.mouse.down();
          await page.mouse.up();
          return;
        }
        return page.locator("[data-advance]").click();
      }
      const arrows = page.locator(".board .way");
      const targets = (await arrows.count()) ? arrows : page.locator(".board .can, .stage button.can");
      const target = targets.nth(random(await targets.count()));
      const offered = await target.evaluate((e) => e.matches(".offer"));
      await target.click();
      if (offered) await page.waitForSelector(".quilt.open");
    },
    // drag drags an offered patch onto the quilt. If no patch is on offer, it does the same as
    // click.
    async drag() {
      const offers = page.locator(".offer.can");
      const n = await offers.count();
      if (n === 0 || (await page.locator(".quilt.open").count())) return ways.click();
      await page.locator(".patchwork").scrollIntoViewIfNeeded();
      const box = await offers.nth(random(n)).boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2 + 12, box.y + box.height / 2 + 12);
      const fits = await overFit(() => page.keyboard.press("r"));
      if (!fits) await page.mouse.move(5, 5); // dropped outside the quilt, the patch is not placed
      await page.mouse.up();
      result.dragged = (result.dragged ?? 0) + (fits ? 1 : 0);
      if (!fits) await page.locator("[data-advance]").click();
    },
    // keys uses only the keyboard. It presses Tab to reach the items that can be chosen.
    async keys() {
      if (patchwork) {
        if (!(await page.evaluate(() => !!document.activeElement.closest(".patchwork")))) await tabTo(".patchwork *", 1);
        const special = await page.locator(".quilt.open").count();
        if (special && !(await page.evaluate(() => document.activeElement.matches(".quilt.open")))) await tabTo(".quilt.open", 1);
        if (!special) await page.keyboard.press(String(1 + random(3)));
        if (await page.locator(".quilt.open").count()) {
          await page.keyboard.press("ArrowRight"); // the first place that fits
          await page.keyboard.press("Enter");
          return;
        }
        return page.keyboard.press("a");
      }
      await tabTo(".board .can", 1 + random(await page.locator(".board .can").count()));
      await page.keyboard.press("Enter");
    },
  };

  // tabTo presses Tab until the focus has reached the given number of elements that match the
  // selector.
  async function tabTo(selector, nth) {
    for (let i = 0; i < 400 && nth > 0; i++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((s) => document.activeElement.matches(s), selector)) nth--;
    }
    if (nth > 0) throw new Error(`Tab does not come to ${selector}`);
  }
  return ways;
}
