// This script tests Breakthrough on 6×6 cells, a game for which the pages have no code. A simulated
// server sends the pages the grid and the names of the actions, and the pages make a board from
// them.

const files = "abcdef";

// positionOf returns a position in the form that the server uses: rows from the top, and the player
// to move.
function positionOf(text, move) {
  const [board, mover] = text.split(" "), rows = board.split("/"), own = mover === "first" ? "o" : "x", up = mover === "first" ? -1 : 1;
  const legal = [];
  const over = rows[0].includes("o") ? "first" : rows[5].includes("x") ? "second" : "ongoing";
  for (let y = 0; y < 6; y++) for (let x = 0; x < 6; x++) for (const side of [-1, 0, 1]) {
    const to = rows[y + up]?.[x + side];
    if (over === "ongoing" && rows[y][x] === own && to && to !== own && (side || to === ".")) legal.push(`${files[x]}${6 - y}${files[x + side]}${6 - y - up}`);
  }
  const cell = (mark, x, y) => ({ name: `${files[x]}${6 - y}`, ...(mark === "o" ? { owner: "first" } : mark === "x" ? { owner: "second" } : {}), ...(y === 0 && { mark: "first" }) });
  return { game: "breakthrough", position: text, to_move: mover, outcome: over, legal, sketch: { rows: rows.map((row, y) => [...row].map((m, x) => cell(m, x, y))), lines: [["a1", "f6"]] }, move };
}

function after(text, move) {
  const [board, mover] = text.split(" "), rows = board.split("/").map((r) => [...r]);
  const [x, y, a, b] = [files.indexOf(move[0]), 6 - move[1], files.indexOf(move[2]), 6 - move[3]];
  rows[b][a] = rows[y][x];
  rows[y][x] = ".";
  return `${rows.map((r) => r.join("")).join("/")} ${mover === "first" ? "second" : "first"}`;
}

const answers = {
  start: () => positionOf("xxxxxx/xxxxxx/....../....../oooooo/oooooo first"),
  follow: ({ position, moves }) => moves.reduce((all, m) => [...all, positionOf(after(all.at(-1).position, m), m)], [positionOf(position)]),
  read: ({ text }) => [positionOf(text)],
};

export async function breakthrough({ open, address, check, look }) {
  const page = await open();
  await page.route("**/api/models", (r) => r.fulfill({ json: [{ id: "none", name: "none", game: "breakthrough" }] }));
  for (const [name, answer] of Object.entries(answers)) await page.route(`**/api/${name}`, (r) => r.fulfill({ json: answer(r.request().postDataJSON()) }));
  await page.goto(`${address}#play?game=breakthrough`);
  for (const side of ["first", "second"]) await page.selectOption(`#${side}`, "person");
  await page.locator(".grid-board [data-cell=a1]").waitFor();
  check((await page.locator("h1").innerText()).startsWith("Breakthrough"), `the game is called ${await page.locator("h1").innerText()}`);
  check((await page.locator(".grid-board .cell").count()) === 36 && (await page.locator(".grid-board .man").count()) === 24, "the board has not 36 cells and 24 men");
  const cell = (name) => page.locator(`.grid-board [data-cell=${name}]`);
  const moved = (n) => page.waitForFunction((n) => +document.body.dataset.moves === n, n);
  check((await page.locator(".grid-board .starts > g").count()) === 6 && (await cell("a2").getAttribute("aria-label")).endsWith("can move"), "the board does not show which men can move");
  check((await page.locator(".grid-board .hatch.first").count()) === 6 && (await cell("a6").getAttribute("aria-label")).endsWith("goal of First"), "the goal of first is not marked");
  check((await page.locator(".grid-board .lines path").getAttribute("d")) === "M50 550L550 50", "the diagonal is not drawn");
  // Play with the mouse: click the cell to move from, then the target. The Escape key or a click on
  // another man cancels a wrong start.
  await cell("c2").click();
  check((await page.locator(".grid-board .target").count()) === 3, `from c2 one can go to ${await page.locator(".grid-board .target").count()} cells`);
  await page.keyboard.press("Escape");
  check((await page.locator(".grid-board .picked").count()) === 0, "Escape leaves a cell picked");
  await cell("c2").click();
  await cell("d2").click();
  await cell("d3").click();
  await moved(1);
  check((await page.locator(".record .what").last().innerText()).startsWith("d2 → d3"), `the record says ${await page.locator(".record .what").last().innerText()}`);
  check((await page.locator(".grid-board .way-back path").count()) === 1, "the last move has no arrow");
  // Play with the keyboard.
  await cell("d5").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await moved(2);
  // Play by dragging.
  const middle = async (name) => { const b = await cell(name).boundingBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
  await page.mouse.move(...(await middle("d3")));
  await page.mouse.down();
  await page.mouse.move(...(await middle("c4")), { steps: 5 });
  check((await page.locator(".grid-board .ring").count()) === 1, "a man that can be taken has no ring");
  await page.mouse.up();
  await moved(3);
  check((await page.locator(".grid-board .man").count()) === 23, "a man that was taken is still there");
  check((await page.locator(".record .what").last().innerText()).startsWith("d3 × c4"), `the record says ${await page.locator(".record .what").last().innerText()}`);
  await look(page, "board-breakthrough");
  await page.close();
}
