// Patchwork: two quilts, the circle with what is on offer, the time board.
import { svg, element, can } from "./svg.js";

const S = 34, COLUMNS = "ABCDEFGHI";
let picked = { letter: null, turn: 0 };

export function draw(host, s, game, act) {
  const k = s.sketch;
  const root = svg(820, 620);
  const again = () => draw(host, s, game, act);
  const [, p0, p1] = s.position.split(" ");
  const players = [p0, p1].map((text, i) => {
    const [time, buttons, income, quilt] = text.split(":");
    const rows = quilt.split("/").map((row) => parseInt(row, 16).toString(2).padStart(9, "0"));
    return { time: +time, buttons: +buttons, income: +income, rows, score: s.score[i] };
  });
  const mover = s.to_move === "first" ? 0 : 1;
  const placements = s.legal.filter((a) => a.length === 4).map((a) => ({ action: a, letter: a[0], x: COLUMNS.indexOf(a[1]), y: COLUMNS.indexOf(a[2]), turn: a[3] }));
  const special = placements.length > 0 && placements[0].letter === "h";
  if (special) picked = { letter: "h", turn: 0 };
  if (!placements.some((m) => m.letter === picked.letter)) picked = { letter: null, turn: 0 };
  const patch = picked.letter === "h" ? k.special : k.circle.find((c) => c.letter === picked.letter);
  const turns = patch ? Object.keys(patch.shapes) : [];
  const turn = turns[picked.turn % Math.max(1, turns.length)];

  timeBoard(root, k, players);
  const shown = k.circle.slice(0, 9);
  shown.forEach((c, i) => {
    const offered = i < k.offers;
    const g = element("g", { transform: `translate(${10 + (offered ? i * 165 : 510 + ((i - 3) % 3) * 105)},${offered ? 80 : 75 + Math.floor((i - 3) / 3) * 68})`, "data-patch": c.letter }, root);
    offer(g, c, offered, offered && c.letter === picked.letter ? turn : "A");
    if (act && offered && placements.some((m) => m.letter === c.letter)) {
      can(g, () => {
        picked = picked.letter === c.letter ? { letter: c.letter, turn: picked.turn + 1 } : { letter: c.letter, turn: 0 };
        again();
      });
    }
    if (offered && c.letter === picked.letter) g.classList.add("picked");
  });
  element("text", { x: 510, y: 222, class: "dim", "font-size": 13 }, root, k.circle.length > 9 ? `and ${k.circle.length - 9} more` : "");

  players.forEach((p, i) => {
    const g = element("g", { transform: `translate(${20 + i * 410},290)` }, root);
    element("text", { x: 0, y: -26, "font-weight": i === mover ? 700 : 400 }, g, `${["first", "second"][i]}: ${p.buttons} buttons, income ${p.income}`);
    element("text", { x: 0, y: -8, class: "dim", "font-size": 13 }, g, `square ${p.time} of ${k.finish}, score now ${p.score}`);
    for (let y = 0; y < 9; y++) {
      for (let x = 0; x < 9; x++) {
        const full = p.rows[y][x] === "1";
        const cell = element("rect", { class: "cell", x: x * S, y: y * S, width: S - 2, height: S - 2, rx: 3, "data-cell": COLUMNS[x] + COLUMNS[y] }, g);
        if (full) cell.style.fill = i ? "#fca5a5" : "#93c5fd";
        const m = act && i === mover && placements.find((m) => m.letter === picked.letter && m.turn === turn && m.x === x && m.y === y);
        if (!m) continue;
        can(cell, () => { picked = { letter: null, turn: 0 }; act(m.action); });
        cell.addEventListener("mouseenter", () => ghost(g, patch.shapes[turn], x, y));
        cell.addEventListener("mouseleave", () => g.querySelectorAll(".ghost").forEach((e) => e.remove()));
      }
    }
  });
  host.replaceChildren(root);
  if (!act) return;
  const row = document.createElement("div");
  row.className = "moves";
  if (s.legal.includes(".")) button(row, "advance", true, () => act("."));
  if (turns.length > 1) button(row, `turn (${picked.turn % turns.length + 1} of ${turns.length})`, false, () => { picked.turn++; again(); });
  if (picked.letter) row.append(" click where its upper left corner goes");
  else if (placements.length) row.append(" or pick a patch");
  host.append(row);
}

function button(row, text, moves, action) {
  const b = document.createElement("button");
  if (moves) b.className = "can";
  b.textContent = text;
  b.onclick = action;
  row.append(b);
}

function ghost(g, cells, x, y) {
  for (const [dx, dy] of cells) element("rect", { class: "ghost", x: (x + dx) * S, y: (y + dy) * S, width: S - 2, height: S - 2, rx: 3 }, g);
}

function offer(g, c, offered, turn) {
  const unit = offered ? 18 : 9;
  element("rect", { class: "cell", width: offered ? 155 : 98, height: offered ? 140 : 60, rx: 8, style: "fill:#fff" }, g);
  const cells = c.shapes[turn] ?? c.shapes.A;
  for (const [x, y] of cells) element("rect", { x: 8 + x * unit, y: 8 + y * unit, width: unit - 1, height: unit - 1, style: "fill:#a8a29e" }, g);
  const text = offered ? `${c.letter}: ${c.buttons} buttons, ${c.time} time` : `${c.buttons}, ${c.time}`;
  element("text", { x: 8, y: offered ? 118 : 54, "font-size": offered ? 13 : 11 }, g, text);
  if (offered) element("text", { x: 8, y: 134, "font-size": 13, class: "dim" }, g, `income ${c.income}`);
}

function timeBoard(root, k, players) {
  const w = 790 / (k.finish + 1);
  for (let i = 0; i <= k.finish; i++) {
    const fill = k.incomes.includes(i) ? "#fde68a" : k.specials.includes(i) && i > Math.max(players[0].time, players[1].time) ? "#d6d3d1" : "#fff";
    element("rect", { class: "cell", x: 15 + i * w, y: 25, width: w - 1, height: 30, style: `fill:${fill}` }, root);
  }
  players.forEach((p, i) => element("circle", { cx: 15 + p.time * w + w / 2, cy: 33 + 14 * i, r: 6.5, class: i ? "second" : "first" }, root));
  element("text", { x: 15, y: 17, "font-size": 12, class: "dim" }, root, "time; yellow pays income, grey holds a special patch");
}
