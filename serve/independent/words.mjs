// This script tests the pages in another language: all texts are translated, numbers follow the
// language's format, and the browser remembers the chosen language.

// These elements contain texts that need no translation: names of games, runs and models, moves,
// and messages of the program.
const names = "noscript, code, pre, textarea, .markdown, [lang]:not(html), .brand, footer, h1 small, .top h1, .runs-table .error, .network, .generation h2, .runs-table label, .runs-table .name, .at-work h2, .watch select, #bot, #game, .game select, .list select, .kept a, .generations:not(.workers) th[scope=row], .generations td";
const known = /^(Elo|SIMD|dojo|quan|XX|PASS|small|[A-Za-z][A-I][A-I][A-H])$/;

export async function inOtherWords({ open, address, check, look }) {
  const page = await open({ locale: "vi-VN" });
  await page.goto(`${address}#play?game=oanquan`);
  await page.locator(".board").waitFor();
  await page.getByRole("button", { name: "Ván mới" }).waitFor();
  check((await page.locator("html").getAttribute("lang")) === "vi", "pages in Vietnamese do not say that they are");
  await look(page, "words-vi");
  await page.setViewportSize({ width: 320, height: 640 });
  await look(page, "words-vi-320");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.selectOption("#language", "en");
  await page.getByRole("button", { name: "New game" }).waitFor();
  check((await page.locator("html").getAttribute("lang")) === "en", "pages in English do not say that they are");
  await page.reload();
  await page.getByRole("button", { name: "New game" }).waitFor(); // whatever language the browser requests
  await page.selectOption("#language", "vi");
  await page.getByRole("button", { name: "Ván mới" }).waitFor();

  // Put brackets around all texts of the dictionary, so that the test recognises texts that do not
  // come from it.
  await page.route("**/vi.json", async (route) => {
    const response = await route.fetch(), all = await response.json();
    await route.fulfill({ response, json: Object.fromEntries(Object.entries(all).map(([text, said]) => [text, `⟦${said}⟧`])) });
  });
  for (const game of ["onitama", "wallonitama", "oanquan", "patchwork", "tictactoe"]) {
    await page.goto("about:blank");
    await page.goto(`${address}#play?game=${game}`);
    await page.locator(".board").waitFor();
    await page.waitForFunction(() => document.body.dataset.state === "person");
    for (const summary of await page.locator("details summary").all()) await summary.click();
    await page.locator("label:has(#mode-analyse)").click();
    await page.locator(".ranked li button").first().click();
    await page.waitForFunction(() => document.body.dataset.moves === "1");
    await page.locator(".ranked li button").first().waitFor();
    await translated(page, `the page that plays ${game}`, check);
    const rules = await page.locator("#rules .markdown").innerText();
    check(/thắng/.test(rules), `in Vietnamese the rules of ${game} are ${rules}`);
    for (const bot of await page.locator("#bot option").evaluateAll((all) => all.flatMap((o) => [o.text, o.title]))) {
      check(!/built|best|generation|candidate|channels|columns/.test(bot.replace(/⟦[^⟦⟧]*⟧/g, "")), `in another language a bot is called ${bot}`);
    }
    await page.locator("label:has(#mode-play)").click();
    await translated(page, `the page that plays ${game}`, check);
  }
  for (const [hash, there] of [["learn", "#none, #said"], ["rules?game=onitama", ".rules figcaption"], ["rules?game=patchwork&lesson", "#asked"], ["runs", ".chart .curve"], ["runs?more=1&point=small/1", ".generation .card"], ["games", ".card"], ["games?generation=1&number=3&ply=2", ".viewer .board"], ["games?source=gate", ".card"], ["watch", ".shares li"], ["runs?run=none", "[role=alert]"]]) {
    await page.goto("about:blank");
    await page.goto(`${address}#${hash}`);
    await page.locator(there).first().waitFor();
    await translated(page, `#${hash}`, check);
  }
  await page.goto(`${address}#learn`);
  await page.setInputFiles("#puzzles", { name: "puzzles.jsonl", mimeType: "application/json", buffer: Buffer.from('{"game":"tictactoe","position":"xx.oo....","best":"c3","played":"a1"}\n') });
  await page.locator("#said").waitFor();
  await translated(page, "a puzzle", check);
  await page.context().close();
}

// translated checks that all words of a page come from the dictionary.
async function translated(page, what, check) {
  const texts = await page.evaluate((names) => {
    const all = [], attributes = ["aria-label", "title", "placeholder", "alt", "aria-valuetext"];
    const walk = (e) => {
      if (e.matches(names)) return;
      for (const name of attributes) if (e.hasAttribute(name)) all.push(e.getAttribute(name));
      for (const child of e.childNodes) child.nodeType === Node.TEXT_NODE ? all.push(child.data) : child.nodeType === Node.ELEMENT_NODE && !/^(script|style|canvas)$/i.test(child.tagName) && walk(child);
    };
    walk(document.body);
    return all;
  }, names);
  // Games supply their own translated titles.
  const titles = await page.evaluate(async () => (await (await fetch("api/models")).json()).map((m) => m.title?.vi));
  let rest = texts.filter((t) => !titles.includes(t.trim())).join("\u0001");
  for (let before = ""; before !== rest; ) [before, rest] = [rest, rest.replace(/⟦[^⟦⟧]*⟧/g, "")];
  for (const text of rest.split("\u0001")) {
    const words = (text.match(/\p{L}{3,}/gu) ?? []).filter((w) => !known.test(w));
    check(!words.length, `in another language ${what} says ${JSON.stringify(text)}`);
  }
}
