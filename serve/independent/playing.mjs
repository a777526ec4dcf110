// This script tests the page for playing. Its server has models of all games.

const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
const choiceOf = (page) => page.locator(".controls label", { hasText: /^game/ }).locator("select");
const hashOf = (page) => page.evaluate(() => location.hash);

export async function playing({ page, open, address, check, wrong, look }) {
  await page.goto(`${address}#play`);
  await settled(page);
  await setUp(page, check, wrong);
  await look(page, "set-up");
  await page.locator("#setup summary").click(); // leave the position editor
  await away(page, check);
  await reviewed(page, check);
  await look(page, "review");
  await byTouch(await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }), address, check, look);
  await thinking(page, check);
  await look(page, "thinking");
  await page.locator("label:has(#mode-play)").click();
  await bots(page, address, check);
}

// While the position editor is open, the user can switch from each game to every other game.
async function setUp(page, check, wrong) {
  const choice = choiceOf(page);
  const open = () => page.locator("#setup summary").click();
  const change = async (game) => {
    await choice.selectOption(game);
    await page.waitForFunction((game) => {
      const query = new URLSearchParams(location.hash.split("?")[1]);
      // Amazons and Othello have no position editor, only the text box.
      return query.get("game") === game && document.querySelector("#text").value === query.get("position") && document.querySelector(".board") && !document.querySelector(".setup > *") === ["amazons", "othello"].includes(game);
    }, game);
    await settled(page);
  };
  const games = await choice.locator("option").evaluateAll((all) => all.map((o) => o.value));
  check(games.length >= 5, `the games are ${games}`);
  await open();
  for (const from of games) {
    for (const to of games.filter((g) => g !== from)) {
      try {
        if ((await choice.inputValue()) !== from) await change(from);
        await change(to);
      } catch (e) {
        wrong(`from ${from} to ${to} while the set-up is open: ${e.message.split("\n")[0]}`);
        await page.reload();
        await settled(page);
        await open();
      }
    }
  }
}

// A review shows the accuracy of each side. A click on a mistake shows the position before the
// mistake.
async function reviewed(page, check) {
  await choiceOf(page).selectOption("tictactoe");
  await page.locator("label:has(#mode-play)").click();
  await page.selectOption("#first", "person");
  await page.selectOption("#second", "person");
  // This game has two mistakes. Noughts plays b1, which loses; all four corners were equally good,
  // so the page makes no card from this mistake. At the end, Crosses plays b3, which loses; only a2
  // won, so this mistake becomes a card.
  for (const cell of ["b2", "b1", "a1", "c3", "a3", "c1", "b3", "c2"]) {
    await page.locator(`.board .can[data-cell=${cell}]`).click();
    await page.locator(`.board [data-cell=${cell}]:not(.can)`).waitFor();
  }
  await settled(page);
  await page.locator("#review").click();
  await page.locator(".review li").nth(1).waitFor({ timeout: 60_000 });
  const [crosses, noughts] = await page.locator(".review li").allInnerTexts();
  check(/Crosses: accuracy \d+ %/.test(crosses) && /Noughts: accuracy \d+ %/.test(noughts), `the review says ${crosses} and ${noughts}`);
  const [games, cards] = await page.evaluate(() => ["dojo-games", "dojo-cards"].map((name) => JSON.parse(localStorage.getItem(name) ?? "[]")));
  check(games.length === 1 && cards.map((c) => c.position).join() === "x.o.x.xoo", `of the game ${games.length} is kept, and to learn from ${JSON.stringify(cards)}`);
  const worse = page.locator(".review li").nth(1).locator("button:enabled").last();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.selectOption("#second", "bot"); // until then, the bot waits
  await worse.click();
  await inSight(page, check);
  const at = Number(await page.locator("body").getAttribute("data-moves"));
  check(at % 2 === 1 && (await page.locator("#status").innerText()).startsWith("Noughts to move"), `a mistake of Noughts leads to the position after ${at} moves`);
  check((await page.locator(".record li button").nth(at).getAttribute("class")) !== "", "the move after that position is no mistake");
  await page.selectOption("#second", "person");
  await better(page, at, check);
  // If the user plays only one side, the page shows that side's winning chance.
  const chance = async () => (await page.locator(".value-bar b").innerText()).match(/^(\w+) (\d+) %$/).slice(1);
  const [first, high] = await chance();
  await page.selectOption("#first", "bot");
  await page.locator(".value-bar b", { hasText: "Noughts" }).waitFor();
  const [second, low] = await chance();
  check(first === "Crosses" && second === "Noughts" && Math.abs(Number(high) + Number(low) - 100) <= 1, `the chances are ${high} of ${first} and ${low} of ${second}`);
  await page.selectOption("#first", "person");
}

// The board with a mistake and the question about it are visible together.
async function inSight(page, check) {
  await page.locator("#attempt").waitFor();
  const { width, height } = page.viewportSize();
  const [board, asked] = await Promise.all([".board", "#attempt"].map((s) => page.locator(s).boundingBox()));
  const apart = board.x + board.width <= asked.x || board.y + board.height <= asked.y;
  check(apart && Math.min(board.y, asked.y) >= 0 && Math.max(board.y + board.height, asked.y + asked.height) <= height, `at ${width} by ${height} pixels the board of a mistake lies at ${JSON.stringify(board)}, and what one is asked at ${JSON.stringify(asked)}`);
}

// In the position before a mistake, the user can try another move and gets a comment on it. Then
// the page shows the better move and its line. The browser stores the findings of the review for
// later visits.
async function better(page, at, check) {
  check((await page.locator(".ranked, .stage .arrows > *").count()) === 0, "the better move is in sight before it was asked for");
  const played = await page.locator(".record li button code").nth(at).innerText();
  await page.locator(`.board .can[data-cell=${played}]`).click();
  await page.locator("#attempt-said.wrong").waitFor();
  check(Number(await page.locator("body").getAttribute("data-moves")) === at, "a try is played in the game");
  await page.locator("#attempt-show").focus();
  await page.keyboard.press("Enter");
  await page.locator("#attempt-answer").waitFor();
  await page.locator("#status", { hasText: "Line of the search" }).waitFor();
  await page.locator("#attempt-leave").click();
  await page.locator("#attempt").waitFor({ state: "detached" });
  await page.reload();
  await settled(page);
  await page.locator(".review li").nth(1).waitFor(); // this needs no search
  await page.locator("label:has(#mode-play)").click();
}

// On a phone, a tap on a mistake does the same as a click, and the page scrolls to the result.
async function byTouch(page, address, check, look) {
  await page.goto(`${address}#play?${new URLSearchParams({ game: "tictactoe", position: ".........", moves: "b2,b1,a1,c3,a3" })}`);
  await settled(page);
  await page.locator("#review").tap();
  await page.locator(".review li").nth(1).waitFor();
  await page.locator(".review li").nth(1).locator("button:enabled").last().tap();
  await inSight(page, check);
  const at = Number(await page.locator("body").getAttribute("data-moves"));
  await page.locator(`.board .can[data-cell=${await page.locator(".record li button code").nth(at).innerText()}]`).tap();
  await page.locator("#attempt-said.wrong").waitFor();
  await page.locator("#attempt-show").tap();
  await page.locator("#attempt-answer").waitFor();
  await look(page, "attempt-phone");
  await page.context().close();
}

// A search shows a winning chance for each of its best moves on the board. The page also shows the
// winning chance of the side that the user chooses. A click on a move of the best line shows the
// position after the move. In a game with points, the search shows who is expected to lead.
async function thinking(page, check) {
  await choiceOf(page).selectOption("oanquan");
  await settled(page);
  await page.locator("label:has(#mode-analyse)").click();
  await page.locator(".board .figures.best").first().waitFor();
  check(/^\d+ %/.test(await page.locator(".board .figures.best").first().textContent()), `on the board stands ${await page.locator(".board .figures.best").first().textContent()}`);
  const chance = async () => (await page.locator(".value-bar b").innerText()).split(" ")[0];
  const one = await chance();
  await page.locator("#turn").click();
  await page.waitForFunction((one) => !document.querySelector(".value-bar b").innerText.startsWith(one), one);
  await page.locator("#turn").click();
  await page.locator("#lead", { hasText: "points" }).waitFor();
  await page.locator(".principal button").nth(1).click();
  await page.waitForFunction(() => document.body.dataset.moves === "2");
  await settled(page);
  // The page must not reuse evaluations when the same position occurs under other rules.
  await page.locator("#go-first").click();
  await page.locator(".value-bar b:not(:empty)").waitFor();
  await choiceOf(page).selectOption("oanquan-traditional");
  await page.locator(".controls", { hasText: "No bot here knows this variant" }).waitFor();
  check((await page.locator(".value-bar b").innerText()) === "", `of a variant that no bot knows the page says ${await page.locator(".value-bar b").innerText()}`);
  await choiceOf(page).selectOption("oanquan");
  await settled(page);
}

// The bots are grouped by run. The built-in bot plays until the user chooses another. The browser
// remembers who plays, the level and the opponent.
async function bots(page, address, check) {
  const bot = page.locator("#bot"), chosen = (p) => p.locator("#bot option:checked").innerText();
  await choiceOf(page).selectOption("onitama");
  await page.waitForFunction(() => document.querySelector("#bot optgroup[label=third]"));
  check((await chosen(page)) === "built-in bot", `the bot that plays onitama at first is ${await chosen(page)}`);
  const names = await bot.locator("optgroup[label=other] option").allInnerTexts();
  const generations = names.filter((n) => n.includes("generation")).map((n) => parseInt(n.split("generation ")[1]));
  check(generations.length > 1 && generations.every((g, i) => i === 0 || g < generations[i - 1]), `under the run other stand ${names}`);
  await bot.selectOption({ label: "other, generation 0" });
  await page.selectOption("#level", { value: "3" });
  const later = await page.context().newPage();
  await later.goto(`${address}#play?game=onitama`);
  await later.locator("#level").waitFor();
  const remembered = [await chosen(later), await later.inputValue("#level"), await later.inputValue("#second")];
  check(remembered.join() === "other, generation 0,3,person", `a new tab remembers ${remembered}`);
  await later.close();
  // Each run has a link to its best model.
  await page.goto("about:blank");
  await page.goto(`${address}#runs?run=small`);
  await page.locator("[data-run]").first().waitFor();
  await page.getByRole("link", { name: "Play" }).click();
  await page.locator("#bot").waitFor();
  check((await chosen(page)) === "small, best model", `from the run small one comes to ${await chosen(page)}`);
}

// If the user visits another page and returns, the game, the players and the level are unchanged.
async function away(page, check) {
  await choiceOf(page).selectOption("tictactoe");
  await page.locator(".board [data-cell=b2]").waitFor();
  await page.selectOption("#second", "person");
  await page.selectOption("#level", { value: "1" });
  const bot = page.locator(".controls label", { hasText: /^bot/ }).locator("select");
  await bot.selectOption({ label: "built-in bot" });
  for (const cell of ["b2", "a1", "c3"]) {
    await page.locator(`.board .can[data-cell=${cell}]`).click();
    await page.locator(`.board [data-cell=${cell}]:not(.can)`).waitFor();
  }
  await settled(page);
  const state = async () => JSON.stringify([await hashOf(page), await page.inputValue("#first"), await page.inputValue("#second"), await page.inputValue("#level"), await bot.inputValue(), await page.locator("body").getAttribute("data-moves")]);
  const before = await state();
  for (const how of ["the navigation", "a reload"]) {
    await page.getByRole("link", { name: "Runs" }).click();
    await page.locator("[data-run]").first().waitFor();
    if (how === "a reload") {
      await page.goBack();
      await page.locator(".board").waitFor();
      await page.reload();
    } else {
      await page.getByRole("link", { name: "Play" }).click();
    }
    await page.locator(".board").waitFor();
    await settled(page);
    check((await state()) === before, `after ${how} the game is ${await state()}, before it was ${before}`);
  }
}
