// This function tests the Game of the Amazons on 6×6 cells. The pages have no board made for this
// game: they draw its grid and build moves from the names of its actions. A game starts with 544
// legal actions. An action consists of three cells: from, to, and the target of the arrow.
export async function amazons({ open, address, check, look }) {
  const page = await open({ hasTouch: true });
  await page.goto(`${address}#play?game=amazons`);
  for (const side of ["first", "second"]) await page.selectOption(`#${side}`, "person");
  const board = page.locator(".grid-board"), cell = (name) => board.locator(`[data-cell=${name}]`);
  const all = (what) => board.locator(what).evaluateAll((cells) => cells.map((c) => c.dataset.cell).sort().join(" "));
  const moved = (n) => page.waitForFunction((n) => +document.body.dataset.moves === n, n);
  const said = () => page.locator(".record .what").last().innerText();
  await cell("b1").waitFor();
  check((await all(".can")) === "a2 b1 e1 f2", `at first one can choose ${await all(".can")}`);
  // Play with the mouse. The Escape key cancels the choice of a cell. A click on a cell that is not
  // a possible target starts a new action.
  await cell("e1").click();
  await cell("b1").click();
  check((await all(".target")) === "a1 b2 b3 b4 b5 c1 c2 d1 d3 e4 f5".replace(" f5", ""), `from b1 one can go to ${await all(".target")}`);
  await cell("b4").click();
  check((await all(".target")).split(" ").includes("b1"), "the cell that an amazon has left cannot be shot at");
  check((await board.locator(".dots .ring").count()) === 0, "cells that an arrow can hit look as if something were taken there");
  await look(page, "board-amazons-arrow");
  await page.keyboard.press("Escape");
  check((await all(".picked")) === "b1", `after Escape ${await all(".picked")} are chosen`);
  await cell("b3").click();
  await cell("b1").click();
  await moved(1);
  check((await said()).startsWith("b1 → b3, b1"), `the record says ${await said()}`);
  check((await cell("b1").getAttribute("aria-label")) === "b1: wall", "no arrow lies on b1");
  // Play with the keyboard.
  await cell("b6").focus();
  for (const key of ["Enter", "ArrowDown", "Enter", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await moved(2);
  check((await said()).startsWith("b6 → b5, c5"), `the record says ${await said()}`);
  // Play one move by touch, with three taps, and one with the mouse: drag the amazon, then click on
  // the target of the arrow.
  await cell("e1").tap();
  await cell("e4").tap();
  await cell("c4").tap();
  await moved(3);
  const middle = async (name) => { const b = await cell(name).boundingBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
  await page.mouse.move(...(await middle("f5")));
  await page.mouse.down();
  await page.mouse.move(...(await middle("f3")), { steps: 5 });
  await page.mouse.up();
  await cell("d3").click();
  await moved(4);
  await page.locator("label:has(#mode-analyse)").click();
  await page.locator(".ranked li").nth(7).waitFor();
  await look(page, "board-amazons");
  await page.close();
}
