// This script tests the page for learning: puzzles from a file, a wrong answer, the right answer,
// and the list of finished games.

const puzzle = '{"game":"tictactoe","position":"xx.oo....","best":"c3","line":["c3"],"value":1,"played":"a1"}\n';

export async function learning({ page, address, check, look }) {
  await page.goto(`${address}#learn`);
  await page.locator("#none").waitFor();
  const file = (text) => page.setInputFiles("#puzzles", { name: "puzzles.jsonl", mimeType: "application/json", buffer: Buffer.from(text) });
  const notice = (text) => page.waitForFunction((text) => document.querySelector("#learn-notice").innerText.includes(text), text);
  await file(`${puzzle}{"game":1}\n`);
  await notice("line 2 has no game");
  await file(puzzle);
  await notice("Puzzles added: 1");
  await file(puzzle);
  await notice("Puzzles added: 0");

  const says = (text) => page.waitForFunction((text) => document.querySelector("#said")?.innerText.includes(text), text);
  const click = (cell) => page.locator(`.board .can[data-cell=${cell}]`).click();
  await says("Find a better move");
  await click("b1");
  await says("Try another move");
  // Importing puzzles must not start the attempt again.
  await file('{"game":1}\n');
  await notice("line 1 has no game");
  await file(puzzle);
  await notice("Puzzles added: 0");
  await page.waitForTimeout(300);
  await says("Try another move");
  const beside = await page.locator(".room aside").innerText();
  // The file does not say who played the mistake, so the page must not say "you".
  check(beside.includes("Played: a1") && !/you played/i.test(beside), `beside a puzzle from a file stands ${beside}`);
  check((await page.locator("#answer").count()) === 0, "the answer is there before it was asked for");
  await click("c3");
  await says("Correct");
  check((await page.locator("#answer").innerText()).includes("c3"), `the answer is ${await page.locator("#answer").innerText()}`);
  await look(page, "learn");
  await page.click("#next");
  await page.locator("#none").waitFor();
  check((await page.locator("#none").innerText()).includes("due later: 1"), "a puzzle that was solved is not kept for later");
  const due = () => page.evaluate(() => Date.parse(JSON.parse(localStorage.getItem("dojo-cards"))[0].schedule.due) - Date.now());
  check((await due()) < 3_600_000, "a puzzle that was not solved at once comes back only after more than an hour");

  // The page reports a mistake immediately. After the third loss in a row, it lowers the level. The
  // test begins at level 5, the lowest at which the bot plays no random moves, so the bot wins.
  await page.evaluate(() => { localStorage.setItem("dojo-row", "-2"); localStorage.setItem("dojo-level-of-ten", "5"); });
  const asked = async (adapt) => {
    await page.goto("about:blank");
    await page.goto(`${address}#play?${new URLSearchParams({ game: "tictactoe", position: "xx.oo...." })}`);
    await page.waitForFunction(() => document.body.dataset.state === "person");
    await page.locator("label:has(#mode-play)").click();
    await page.selectOption("#first", "person");
    await page.selectOption("#second", "bot");
    await page.locator("#announce").setChecked(true);
    await page.locator("#adapt").setChecked(adapt);
    await page.locator("#visits[data-running=false]").waitFor();
    await click("b1");
    await page.waitForFunction(() => document.body.dataset.state === "over");
  };
  const told = (text) => page.waitForFunction((text) => document.querySelector("#notice").innerText.includes(text), text);
  await asked(false);
  await told("Blunder (??). Best move: c3");
  const levelBefore = Number(await page.inputValue("#level"));
  // Remove the stored game. Otherwise the page would not count the same game again.
  await page.evaluate(() => localStorage.removeItem("dojo-games"));
  await asked(true);
  await told(`The level is now ${levelBefore}`);
  check(Number(await page.inputValue("#level")) === levelBefore - 1, "three losses in a row leave the level as it is");
  await page.evaluate(() => { for (const store of [localStorage, sessionStorage]) for (const key of Object.keys(store)) if (key !== "dojo-cards") store.removeItem(key); });
  await page.goto("about:blank");

  // Play a game to its end. The page stores it once.
  await page.goto(`${address}#play?${new URLSearchParams({ game: "tictactoe", position: "xx.oo...." })}`);
  await page.waitForFunction(() => document.body.dataset.state === "person");
  // Wait until the search has proven that c3 wins.
  await page.waitForFunction(() => [...document.querySelectorAll(".ranked .number")].some((n) => n.innerText === "wins in 1"));
  await page.locator("label:has(#mode-play)").click();
  await page.selectOption("#second", "person");
  await click("c3");
  await page.waitForFunction(() => document.body.dataset.state === "over");
  await page.goto(`${address}#learn`);
  await page.locator(".kept li").waitFor();
  check((await page.locator(".kept li").count()) === 1 && (await page.locator(".kept li").innerText()).includes("won"), `kept are ${await page.locator(".kept li").allInnerTexts()}`);
  await look(page, "learn-games");
  await page.locator(".kept li a").click();
  await page.waitForFunction(() => document.body.dataset.state === "over" && document.body.dataset.moves === "1");
  // If the user leaves the page while another position is loading, the page does not take the user
  // back to the game.
  await page.evaluate(() => { location.hash = "#learn"; dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" })); });
  await page.locator(".kept li button").last().click();
  await page.waitForFunction(() => !document.querySelector(".kept li"));
}
