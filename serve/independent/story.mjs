// This script tests the pages about training: the table of runs, views that the address encodes,
// the links from a point on a curve to a generation's games and bot, and the page that shows how
// each generation evaluates a position.
import { readFile } from "node:fs/promises";

const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));

export async function story({ open, address, check, wrong, look }) {
  const page = await open();
  await page.goto(`${address}#runs?game=onitama`);
  await page.locator(".chart .curve").first().waitFor();
  await table(page, check);
  await charts(page, check);
  await link(page, open, check);
  await thirty(await open(), address, check, look);
  await measured(await open(), address, check);
  await generation(page, address, check);
  await watching(page, address, check, wrong);
  await touched(await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" }), address, check);
  await page.context().close();
}

const rows = (page) => page.locator("[data-run]").evaluateAll((all) => all.map((r) => r.dataset.run));
const become = (page, runs, what, check) => page.waitForFunction((runs) => [...document.querySelectorAll("[data-run]")].map((r) => r.dataset.run).join() === runs.join(), runs)
  .catch(async () => check(false, `${what} the runs are ${await rows(page)}, not ${runs}`));

// A click on a heading sorts the table. Pinned runs come first. The browser stores pins and notes.
async function table(page, check) {
  const by = page.getByRole("button", { name: "Run", exact: true });
  await by.click();
  await become(page, ["damaged", "other", "third"], "by name", check);
  check((await page.locator("[aria-sort=ascending]").innerText()).startsWith("Run"), "the heading by which runs are sorted does not say so");
  await by.click();
  await become(page, ["third", "other", "damaged"], "by name backwards", check);
  await page.getByRole("button", { name: "Pin other to the top" }).click();
  await become(page, ["other", "third", "damaged"], "with a pinned one", check);
  const note = page.getByRole("textbox", { name: "Notes on third" });
  await note.fill("twice the games");
  await note.press("Tab");
  await page.reload();
  await become(page, ["other", "third", "damaged"], "after a reload", check);
  check((await note.inputValue()) === "twice the games", `after a reload the note is ${await note.inputValue()}`);
  await page.getByRole("button", { name: "Pin other to the top" }).click();
  await page.getByRole("button", { name: "Hide all" }).click();
  await page.locator(".empty").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.locator(".chart .curve").nth(1).waitFor();
}

const losses = "[aria-labelledby=title-policy]"; // this chart has a value for each generation
const curve = (page) => page.locator(`${losses} .curve path.solid`).first().getAttribute("d");
const ticks = (page) => page.locator(".chart .axes").first().innerHTML();

// changed waits until a part of the page, which the function `of` reads, has changed.
async function changed(page, of, before, what, check) {
  for (let i = 0; i < 100; i++) {
    if (String(await of(page)) !== String(before)) return;
    await page.waitForTimeout(50);
  }
  check(false, `${what} changes nothing`);
}

// Smoothing, logarithmic axes and zoom change the charts. They work with the mouse, by touch and
// with the keyboard.
async function charts(page, check) {
  await page.locator(".switch label:has([value=games])").click();
  await page.waitForFunction(() => location.hash.includes("axis=games"));
  await page.locator(".more summary").first().click();
  let before = await curve(page);
  await page.getByRole("slider", { name: "Smoothing" }).fill("80");
  await changed(page, curve, before, "smoothing", check);
  check((await page.locator(`${losses} .curve .raw`).count()) > 0, "a smoothed curve hides what it was before");
  before = await ticks(page);
  await page.getByRole("checkbox", { name: "log X" }).check();
  await changed(page, ticks, before, "a logarithm across", check);
  before = await ticks(page);
  const box = await page.locator(".chart .canvas").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 90, { steps: 4 });
  await page.mouse.move(box.x + box.width - 4, box.y + 90, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes("zoom="));
  await changed(page, ticks, before, "dragging over the curves", check);
  await page.locator(".chart .canvas").first().dblclick({ position: { x: 200, y: 100 } });
  await page.waitForFunction(() => !location.hash.includes("zoom="));
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForFunction(() => location.hash.includes("zoom="));
  await page.getByRole("button", { name: "Reset zoom" }).click();
  await page.waitForFunction(() => !location.hash.includes("zoom="));
  await page.locator(".chart .plot").first().focus();
  await page.keyboard.press("+");
  await page.waitForFunction(() => location.hash.includes("zoom="));
}

// The address encodes all choices, so opening it in another browser shows the same view.
async function link(page, open, check) {
  await page.getByRole("checkbox", { name: "third" }).uncheck();
  await page.waitForFunction(() => location.hash.includes("show="));
  const all = async (p) => JSON.stringify([await rows(p), await p.locator(".chart .curve").evaluateAll((c) => c.map((e) => e.innerHTML)), await p.locator(".tools input").evaluateAll((i) => i.map((e) => `${e.checked} ${e.value}`))]);
  const other = await open();
  await other.goto(page.url());
  await other.locator(".charts .chart .curve").first().waitFor();
  const want = await all(page);
  await changed(other, async () => (await all(other)) === want, false, "a link", check);
  await other.context().close();
}

// With thirty runs, the page draws only the newest eight and keeps its layout. The user can find a
// run by its name and show any run.
async function thirty(page, address, check, look) {
  await page.route("**/api/runs?*", async (route) => {
    const response = await route.fetch(), news = await response.json(), [one] = news.runs.filter((r) => r.generations.length > 0);
    if (!one) return route.fulfill({ response, json: { ...news, runs: [], ids: many } });
    const runs = many.map((run, i) => ({ ...one, run, seed: i, ladder: { ...one.ladder, rungs: one.ladder.rungs.map((r) => ({ ...r, elo: r.elo + 20 * i, low: r.low + 20 * i, high: r.high + 20 * i })) } }));
    return route.fulfill({ response, json: { ...news, runs, ids: many } });
  });
  const many = Array.from({ length: 30 }, (_, i) => `run-${String(i).padStart(2, "0")}`);
  await page.goto(address);
  await page.locator(".chart .curve").first().waitFor();
  check((await page.locator("[data-run]").count()) === 30 && (await page.locator(".chart .curve").count()) === 8, `of thirty runs ${await page.locator("[data-run]").count()} are listed and ${await page.locator(".chart .curve").count()} drawn`);
  const colours = await page.locator(".chart .curve").evaluateAll((all) => all.map((c) => getComputedStyle(c).getPropertyValue("--colour")));
  check(new Set(colours).size === 8, `eight runs have the colours ${colours}`);
  await look(page, "thirty-runs");
  await page.getByRole("button", { name: "Strength" }).click();
  await become(page, many.toReversed(), "by strength", check);
  await page.getByRole("textbox", { name: "Search by name" }).fill("run-2");
  await become(page, many.slice(20).reverse(), "found by name", check);
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForFunction(() => document.querySelector(".chart").querySelectorAll(".curve").length === 10);
  for (const where of [".chart .curve", ".chart .swatch", "[data-run] .swatch"]) {
    const looks = await page.locator(where).evaluateAll((all) => all.map((e) => `${getComputedStyle(e).getPropertyValue("--colour")} ${e.querySelector("path:not(.band, .raw)").getAttribute("stroke-dasharray")}`));
    check(new Set(looks).size === 10, `ten runs look in ${where} like ${looks.join("; ")}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await look(page, "thirty-runs-phone");
  await page.unrouteAll({ behavior: "ignoreErrors" }); // the page sends a request every second
  await page.context().close();
}

// The chart truncates only the error bars that are much longer than most. After a zoom, it draws
// nothing to the left of the axis. If a run has no ladder matches (rating matches), the page does
// not announce results that will never come.
async function measured(page, address, check) {
  const { ratings } = JSON.parse(await readFile(new URL("../web/src/play/levels.json", import.meta.url), "utf8"));
  let wide = [2000, 100, 100];
  await page.route("**/api/runs?*", async (route) => {
    const response = await route.fetch(), news = await response.json();
    for (const run of news.runs) {
      if (run.config?.gate) run.config.gate.ladder = wide.length && 16;
      run.ladder = { zero: `box ${ratings[run.game]?.model}`, rungs: wide.map((w, generation) => ({ generation, elo: generation, low: -w, high: w })) };
    }
    return route.fulfill({ response, json: news });
  });
  const go = async (hash) => {
    await page.goto("about:blank");
    await page.goto(`${address}#runs?run=small&axis=generation${hash}`);
    await page.locator(".chart .curve").first().waitFor();
  };
  const axis = 50, top = 8, bottom = 340 - 34; // the edges of the large chart
  await go("");
  const band = (await page.locator(".chart .band").getAttribute("d")).match(/[\d.-]+ [\d.-]+/g).map((p) => Number(p.split(" ")[1]));
  check(band.filter((y) => y < top || y > bottom).length === 2, `the ends of one wide interval and of two others are drawn from ${top} to ${bottom} at ${band}`);
  const marks = await page.locator(".chart .marks text").allTextContents();
  check(marks.includes("alphabeta:4") && !marks.includes("random"), `the marks within the chart are ${marks}`);
  await go("&more=1&zoom=0.9:2");
  const outside = await page.locator(".chart .curve > :not([d=''])").evaluateAll((all, axis) => all.filter((e) => e.getBBox().x < axis - 4).map((e) => e.outerHTML), axis);
  check(!outside.length, `left of the axis there is ${outside.join(" ")}`);
  wide = [];
  await go("");
  const hint = await page.locator(".strength .hint").innerText();
  check(hint.includes("have no ladder") && !hint.includes("yet"), `without a ladder the page says ${hint}`);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().close();
}

// A click on a curve opens a generation: its results, its games, its gate match and its bot.
async function generation(page, address, check) {
  await page.goto(`${address}#runs?axis=generation&more=1`);
  const point = page.locator(`${losses} .curve circle`).nth(1);
  await point.scrollIntoViewIfNeeded();
  const box = await point.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.locator("section.generation").waitFor();
  const heading = () => page.locator(".generation h2").innerText();
  check(/small\s+generation 1/.test(await heading()), `a click on a point leads to ${await heading()}`);
  check((await page.locator(`${losses} .curve .chosen`).count()) >= 1, "the chosen point is not marked");
  await page.locator(".generation .card").first().waitFor();
  await page.getByRole("button", { name: "Previous generation" }).click();
  await page.waitForFunction(() => document.querySelector(".generation h2").innerText.includes("generation 0"));
  await page.reload();
  await page.locator("section.generation").waitFor();
  check((await heading()).includes("generation 0"), "after a reload another generation is chosen");
  await page.locator(`${losses} .plot`).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".generation h2").innerText.includes("generation 1"));

  await page.getByRole("link", { name: "Self-play games" }).click();
  await page.locator(".card").first().waitFor();
  check((await page.locator(".list select").last().inputValue()) === "1", "the way to a generation's games leads to others");
  await page.goBack();
  await page.getByRole("link", { name: "Gate games" }).click();
  await page.waitForFunction(() => document.querySelector(".card")?.innerText.includes("000001"));
  await page.goBack();
  await page.locator(".generation .card").first().click();
  await page.locator(".viewer .board").waitFor();
  check((await page.locator(".viewer h2").innerText()).includes("generation 1"), "a picture leads to another game");
  await page.goBack();
  await page.getByRole("link", { name: "Play against this bot" }).click();
  await settled(page);
  const bot = await page.locator("#bot").evaluate((s) => s.selectedOptions[0].textContent);
  check(bot.includes("generation 1"), `the way to a generation's bot leads to ${bot}`);
}

// A page shows how all generations evaluate a position: how their value and their policy change.
async function watching(page, address, check, wrong) {
  await page.goto(`${address}#games?source=selfplay&generation=1&number=3&ply=2`);
  const board = await page.locator(".viewer svg.board").innerHTML();
  await page.getByRole("link", { name: "across generations" }).click();
  await page.locator(".watch .shares li").first().waitFor();
  const shares = async () => (await page.locator(".shares b").allInnerTexts()).map(parseFloat);
  const points = await page.locator(".evolution circle").count();
  check(points >= 2, `the value is drawn at ${points} generations`);
  const sum = (all) => all.reduce((a, b) => a + b, 0);
  const last = await shares();
  check(Math.abs(sum(last) - 100) < 1, `the policy sums to ${sum(last)} %`);
  const slider = page.getByRole("slider", { name: "Generation" });
  await slider.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => location.hash.includes("generation=0"));
  // Wait until the page shows another policy: the untrained network has a different one.
  await page.waitForFunction((last) => String([...document.querySelectorAll(".shares b")].map((b) => parseFloat(b.innerText))) !== last, String(last));
  await page.getByRole("button", { name: "Play through" }).click();
  await page.waitForFunction(() => /generation=[^0]/.test(location.hash));
  const svg = await page.locator(".evolution").last().boundingBox();
  await page.mouse.click(svg.x + 50, svg.y + 40);
  await page.waitForFunction(() => location.hash.includes("generation=0"));
  const alone = await shares();
  await page.getByText("search with 100 simulations").click();
  await changed(page, shares, alone, "a search", check);
  await page.getByRole("link", { name: "Back to the game" }).click();
  await page.locator(".viewer .board").waitFor();
  check((await page.locator(".viewer svg.board").innerHTML()).length === board.length, "the way back leads to another position");
  await page.goto(`${address}#watch?run=none&position=x`);
  await page.locator("[role=alert]").waitFor();
  await page.goto(`${address}#watch?run=small&position=nonsense`);
  await page.locator("[role=alert]").waitFor().catch(() => wrong("a position that is none is watched without a word"));
}

// On a phone, a tap on the curves chooses a generation, and a drag over them zooms.
async function touched(page, address, check) {
  await page.goto(`${address}#runs?axis=generation&more=1`);
  const plot = page.locator(`${losses} .canvas`);
  await plot.scrollIntoViewIfNeeded();
  const point = await page.locator(`${losses} .curve circle`).nth(1).boundingBox();
  await page.touchscreen.tap(point.x + 3, point.y + 3);
  await page.locator("section.generation").waitFor();
  await page.locator(".generation .card").first().waitFor();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox(), devtools = await page.context().newCDPSession(page);
  const finger = (type, share) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: box.x + share * box.width, y: box.y + 60 }] });
  await finger("touchStart", 0.4);
  for (const share of [0.45, 0.55, 0.7, 0.9, 0.99]) await finger("touchMove", share);
  // Pause before the finger is lifted. Otherwise the drag would become a scroll, and the next tap
  // would only stop that scroll.
  await page.waitForTimeout(200);
  await finger("touchEnd");
  await page.waitForFunction(() => location.hash.includes("zoom=")).catch(() => check(false, "a finger drawn over the curves does not zoom"));
  await page.getByRole("button", { name: "Reset zoom" }).tap();
  await page.waitForFunction(() => !location.hash.includes("zoom="));
  await page.locator("[data-run] a").first().tap();
  await page.locator(".card").first().tap();
  await page.locator(".viewer .board").waitFor();
  // On the page of a game, the buttons that step through the game are at the bottom of the screen.
  // A tap on a button or on a move of the list scrolls back to the board.
  const seen = async (what) => {
    const { y } = await page.locator(".viewer .board").boundingBox();
    check(y > -10 && y < 200, `after ${what} on a phone the board is at ${y}`);
  };
  const bar = await page.locator(".steps-bar").boundingBox(), move = page.locator(".viewer .record button").nth(2);
  check(Math.abs(bar.y + bar.height - 844) < 2, `the steps through a game end at ${bar.y + bar.height}`);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await move.tap();
  await page.waitForFunction(() => document.querySelector(".stepping .at").innerText.startsWith("3 "));
  await seen("a tap on a move");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.locator("#thumb-back").tap();
  await page.waitForFunction(() => document.querySelector(".stepping .at").innerText.startsWith("2 "));
  await seen("a step back");
  await page.context().close();
}
