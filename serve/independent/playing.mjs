// Tries the page that plays, of a server with models of all games.

const settled = (page) => page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
const choiceOf = (page) => page.locator(".controls label", { hasText: /^game/ }).locator("select");

export async function playing({ page, address, check, wrong, look }) {
  await page.goto(`${address}#play`);
  await settled(page);
  await setUp(page, check, wrong);
  await look(page, "set-up");
}

// While the set-up is open the game is changed, from each to each other.
async function setUp(page, check, wrong) {
  const choice = choiceOf(page);
  const open = () => page.locator("#setup summary").click();
  const change = async (game) => {
    await choice.selectOption(game);
    await page.waitForFunction((game) => {
      const query = new URLSearchParams(location.hash.split("?")[1]);
      return query.get("game") === game && document.querySelector("#text").value === query.get("position") && document.querySelector(".board") && document.querySelector(".setup > *");
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
