// This script tests whether everybody can see and use the boards: with the keyboard, at small sizes
// and in all colour themes.
import { faint } from "./contrast.mjs";

const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
const focused = (page, attribute) => page.evaluate((a) => document.activeElement.getAttribute(a), attribute);

export async function comfort({ page, address, check, look }) {
  const begin = async (game) => {
    await page.goto("about:blank");
    await page.goto(`${address}#play?game=${game}`);
    await page.locator(".board").waitFor();
    await settled(page);
    await page.selectOption("#first", "person");
    await page.selectOption("#second", "person");
    await settled(page);
  };
  const moved = async (n) => {
    await page.waitForFunction((n) => +document.body.dataset.moves === n, n);
    await settled(page);
  };
  await begin("oanquan");
  await sowing(page, check, moved);
  await begin("patchwork");
  await quilting(page, check);
  await begin("onitama");
  await page.locator(".board g.can[data-cell]").first().click();
  await page.locator(".board g.picked").first().waitFor();
  await page.getByRole("link", { name: "Games" }).focus();
  await page.keyboard.press("Escape");
  check((await page.locator(".board g.picked").count()) === 0, "Escape leaves a man of Onitama picked");
  for (const game of ["onitama", "wallonitama", "oanquan", "patchwork", "tictactoe"]) {
    await begin(game);
    await small(page, game, check, look);
    await page.evaluate(() => { document.documentElement.dataset.theme = "dark"; });
    for (const text of await faint(page)) check(false, `${game}, dark: too faint: ${text}`);
    await page.evaluate(() => { document.documentElement.dataset.theme = "light"; });
  }
  await begin("onitama");
  await page.locator("label:has(#mode-analyse)").click();
  await page.locator(".ranked li button").first().click();
  await moved(1);
  for (const theme of ["light", "dark"]) await marks(page, theme, check);
  await chosen(page, check);
}

// In Ô ăn quan, the focus stays on the same element after a turn with the keyboard and after
// Escape. On a vertical board, the sides are called right and left.
async function sowing(page, check, moved) {
  const field = page.locator(".board .field.can").first(), number = await field.getAttribute("data-field");
  await field.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches(".way"));
  await page.keyboard.press("Escape");
  check((await page.locator(".board .way").count()) === 0 && (await focused(page, "data-field")) === number, "Escape does not lead back from the arrows to their field");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches(".way"));
  await page.keyboard.press("Enter");
  await moved(1);
  check((await focused(page, "data-field")) === number, "after a turn of Ô ăn quan the focus is lost");
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const won = page.locator(".board .winnings text");
  await page.locator(".oanquan.upright").waitFor();
  for (const [i, f, name] of [[0, 3, "Right"], [1, 9, "Left"]]) {
    const label = await won.nth(i).boundingBox(), row = await page.locator(`[data-field="${f}"]`).boundingBox(), middle = 195;
    const beside = label.x + label.width / 2 > middle === row.x + row.width / 2 > middle;
    check((await won.nth(i).textContent()).startsWith(name) && beside, `on a phone the side of field ${f} is called ${await won.nth(i).textContent()}, at ${label.x}`);
  }
  const sides = await page.locator(".controls .grid2 span").allInnerTexts();
  check(sides.map((s) => s.trim()).join() === "Left,Right", `on a phone the players are called ${sides}`);
  await page.setViewportSize({ width, height });
}

// In Patchwork, the keys work no matter which element has the focus, and the page announces their
// effect.
async function quilting(page, check) {
  const elsewhere = page.getByRole("link", { name: "Games" }), status = page.locator(".patch-tools [role=status]");
  const press = async (key) => {
    await elsewhere.focus();
    await page.keyboard.press(key);
    return status.innerText();
  };
  check((await press("r")).includes("You hold no patch"), `R without a patch says ${await status.innerText()}`);
  while (!(await page.locator(".offer.can").count())) await page.keyboard.press("a");
  const can = await page.locator(".offer").evaluateAll((all) => all.map((o) => o.matches(".can")));
  const cannot = can.indexOf(false);
  if (cannot >= 0) check((await press(String(cannot + 1))).includes("cannot buy patch"), `the key of a patch that cannot be bought says ${await status.innerText()}`);
  check((await press(String(can.indexOf(true) + 1))).startsWith("Choose a place"), `the key of a patch says ${await status.innerText()}`);
  const before = await status.innerText();
  const turns = await page.locator(".patch-tools button:enabled", { hasText: "Turn" }).count();
  if (turns) check((await press("r")) !== before, "R says nothing of the turn");
  check(/fit/.test(await press("ArrowRight")), `an arrow key says ${await status.innerText()}`);
  check((await focused(page, "data-quilt")) !== null, "after an arrow key the focus is not on the quilt");
  check((await press("Escape")).startsWith("Choose a patch") && !(await page.locator(".offer.picked").count()), "Escape does not let go of a patch");
}

// At 200 % zoom and at a width of 320 pixels, a board uses the full width and its text is readable.
async function small(page, game, check, look) {
  const wide = page.viewportSize();
  for (const size of [wide, { width: 640, height: 450 }, { width: 320, height: 256 }]) {
    await page.setViewportSize(size);
    const texts = () => page.locator(".stage svg text").evaluateAll((all) => all.map((t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a));
    await page.waitForFunction(() => [...document.querySelectorAll(".stage svg text")].every((t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a > 10.9))
      .catch(async () => check(false, `${game} at ${size.width} pixels has text of ${Math.min(...(await texts()))} pixels`));
    const board = await page.locator(".board").boundingBox();
    check(board.width > 280 && board.height > 280, `${game} at ${size.width} by ${size.height} pixels is drawn ${board.width} by ${board.height} pixels large`);
    const [a, b] = await page.locator(".board .winnings .count").evaluateAll((all) => all.map((t) => t.getBoundingClientRect().toJSON()));
    check(!a || b.right < a.left || a.right < b.left || a.bottom < b.top || b.bottom < a.top, `at ${size.width} pixels what both players of ${game} have won is written over each other`);
    if (size.width === 320) await look(page, `${game}-320`);
  }
  await page.setViewportSize(wide);
}

// Marks on a board have a contrast of at least 3:1 to their background.
async function marks(page, theme, check) {
  await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
  const found = await page.evaluate(() => {
    const light = (colour) => {
      const [r, g, b] = colour.match(/[\d.]+/g).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const of = (selector, property) => light(getComputedStyle(document.querySelector(selector))[property]);
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const wood = of(".board .cell:not(.last):not(.paper)", "fill");
    return {
      shrine: contrast(of(".shrine path", "stroke"), wood), "last move": contrast(of(".cell.last", "stroke"), wood),
      "grid of a card": contrast(of(".square:not(.origin)", "stroke"), of(".paper", "fill")),
    };
  });
  for (const [what, ratio] of Object.entries(found)) check(ratio >= 3, `in ${theme} colours the ${what} has a contrast of ${ratio}`);
}

// If the operating system forces its own colours, the chosen item still looks different from the
// others.
async function chosen(page, check) {
  await page.emulateMedia({ forcedColors: "active" });
  for (const [on, off] of [[".switch .on", ".switch label:not(.on)"], ["nav a[aria-current]", "nav a:not([aria-current])"]]) {
    const [a, b] = await page.evaluate((all) => all.map((s) => getComputedStyle(document.querySelector(s)).backgroundColor), [on, off]);
    check(a !== b, `with forced colours ${on} looks like ${off}: ${a}`);
  }
  await page.emulateMedia({ forcedColors: "none" });
}
