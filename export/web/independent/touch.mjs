// This function plays by touch, with taps and drags, on a screen as narrow as a phone's.
import { faults, hashOf, movedOn, picture, settled, stateOf } from "./site.mjs";

export async function touch({ site, page: other, game, errors }) {
  // Open the link of the wide page on an emulated phone. Both must show the same.
  await settled(other);
  const page = await site.open(game, await other.evaluate(() => location.hash), errors, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, colorScheme: "dark" });
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  const shows = async (p) => `${await p.textContent("#status")} after ${(await stateOf(p)).moves} moves, ${await hashOf(p)}`;
  const result = { link: await shows(other), linked: await shows(page) };
  result.wide = await wide();
  result.axe = await faults(page, "dark, on a phone");
  await page.locator("label:has(#mode-play)").tap();
  await page.selectOption("#level", "0");
  await page.locator("#new").tap();
  await settled(page);
  const finger = await fingerOf(page);
  await ({ onitama, wallonitama: onitama, patchwork, oanquan })[game](page, finger);
  result.wide = Math.max(result.wide, await wide());
  await picture(page, `${game}-phone`);
  result.moves = (await stateOf(page)).moves;
  await page.context().close();
  return result;
}

/** Returns a simulated finger that can touch the screen, move in steps, and lift off. */
async function fingerOf(page) {
  const session = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  let at = { x: 0, y: 0 };
  return {
    down: (x, y) => send("touchStart", [(at = { x, y })]),
    async to(x, y) {
      const from = at;
      for (let i = 1; i <= 4; i++) await send("touchMove", [(at = { x: from.x + ((x - from.x) * i) / 4, y: from.y + ((y - from.y) * i) / 4 })]);
    },
    up: () => send("touchEnd", []),
  };
}

const middle = async (locator) => {
  const box = await locator.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

// Plays the first move with two taps, and the second move by dragging.
async function onitama(page, finger) {
  const man = page.locator(".board g.can[data-cell]:not(.target)").first();
  const target = page.locator(".board g.target").first();
  const before = (await stateOf(page)).moves;
  // If both cards allow the move, the page asks for one of them: tap it.
  const after = async (n) => {
    await page.waitForFunction((n) => +document.body.dataset.moves > n || document.querySelector(".card.asked"), n);
    if (await page.locator(".card.asked").count()) await page.locator(".card.asked").first().tap();
    await movedOn(page, n);
  };
  await man.tap();
  await target.tap();
  await after(before);
  const now = (await stateOf(page)).moves;
  await man.scrollIntoViewIfNeeded();
  const [x, y] = await middle(man);
  await finger.down(x, y);
  await finger.to(x + 14, y - 14);
  await target.waitFor();
  await finger.to(...(await middle(target)));
  await finger.up();
  await after(now);
}

// Drags the first patch onto the quilt. Takes, moves and drops the next patch with taps.
async function patchwork(page, finger) {
  await advancedToOffer(page);
  const offer = page.locator(".offer.can").first(), quilt = page.locator(".quilt-side.mine .quilt");
  await offer.evaluate((e) => e.closest(".tables").scrollIntoView());
  const before = (await stateOf(page)).moves, [x, y] = await middle(quilt);
  await finger.down(...(await middle(offer)));
  await finger.to(x, y);
  await page.waitForSelector(".preview.fits");
  await picture(page, "patchwork-touch");
  await finger.up();
  await movedOn(page, before);
  await advancedToOffer(page);
  const now = (await stateOf(page)).moves;
  await offer.tap();
  await putByTaps(page);
  await movedOn(page, now);
}

// Advances until a patch can be bought, because some deals offer none immediately. If the player
// receives a special patch on the way, the function places it.
async function advancedToOffer(page) {
  while (!(await page.locator(".offer.can").count())) {
    const { moves, state } = await stateOf(page);
    if (state === "over") throw new Error("no patch could be bought");
    if (await page.locator(".quilt.open").count()) await putByTaps(page);
    else await page.locator("[data-advance]").tap();
    await movedOn(page, moves);
  }
}

// Taps one cell after another until the patch in hand fits, and drops it there.
async function putByTaps(page) {
  const quilt = page.locator(".quilt-side.mine .quilt"), box = await quilt.boundingBox();
  for (let i = 0; !(await page.locator(".preview.fits").count()); i++) {
    if (i === 81) throw new Error("the patch fits nowhere by taps");
    await quilt.tap({ position: { x: ((i % 9) + 0.5) * (box.width / 9), y: (Math.floor(i / 9) + 0.5) * (box.height / 9) } });
  }
  await page.locator(".patch-tools .primary").tap();
}

// Plays a move by tapping a field and then a direction.
async function oanquan(page) {
  const before = (await stateOf(page)).moves;
  await page.locator(".board .field.can").first().tap();
  await page.locator(".board .way").first().tap();
  await movedOn(page, before);
}
