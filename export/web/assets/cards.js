// Onitama, with and without a wall: five by five cells and five cards.
import { svg, element, can } from "./svg.js";

const S = 84;

// A side of the game: how it writes cells and where its cards come from.
const sides = {
  onitama: {
    men: { W: [0, true], w: [0, false], B: [1, true], b: [1, false] },
    cell: (x, y) => "ABCDE"[x] + (5 - y),
    split: (a) => /^(?<card>\d+) (?<from>[A-E]\d)(?<to>[A-E]\d)$/.exec(a)?.groups,
    cards: (s) => s.sketch.cards.map((c) => ({
      id: String(c.id), name: c.name, owner: c.owner, middle: [2, 2], steps: c.steps.map(([dx, dy]) => [2 + dx, 2 - dy]),
    })),
    bases: [[2, 4], [2, 0]],
  },
  wallonitama: {
    men: { A: [0, true], a: [0, false], B: [1, true], b: [1, false] },
    cell: (x, y) => "abcde"[y] + (x + 1),
    split: (a) => /^(?<card>\d)(?<from>[a-e]\d)(?<to>[a-e]\d)$/.exec(a)?.groups,
    cards: (s) => s.position.split(" ").slice(3, 8).map((text, i) => {
      const owner = i < 2 ? 0 : i < 4 ? 1 : -1;
      const turn = owner === 1 || (owner < 0 && s.to_move === "second"); // as its holder sees it
      const at = (n) => { const k = turn ? 24 - n : n; return [k % 5, Math.floor(k / 5)]; };
      const found = (mark) => [...text].flatMap((c, n) => (c === mark ? [at(n)] : []));
      return { id: String(i % 2 + 1), name: owner < 0 ? "side card" : `card ${i % 2 + 1}`, owner, middle: found("o")[0], steps: found("x") };
    }),
    bases: [[2, 4], [2, 0]],
  },
};

let picked = {}; // card and cell chosen so far

export function draw(host, s, game, act) {
  const side = sides[game.split(":")[0]];
  const rows = s.position.split(" ")[0].split("/");
  const root = svg(5 * S + 420, 5 * S + 60);
  const you = s.to_move === "first" ? 0 : 1;
  const moves = s.legal.map((a) => ({ action: a, ...side.split(a) }));
  const again = () => draw(host, s, game, act);
  const fits = (m) => m.from && (!picked.card || m.card === picked.card);
  const walls = act ? wallTargets(s, rows) : {};

  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) {
      const name = side.cell(x, y);
      const g = element("g", { transform: `translate(${30 + x * S},${20 + y * S})`, "data-cell": name }, root);
      const base = side.bases.some(([bx, by]) => bx === x && by === y);
      element("rect", { class: "cell", width: S - 4, height: S - 4, rx: 8, style: base ? "fill:#e7dfc6" : "" }, g);
      man(g, side, rows[y][x]);
      if (!act) continue;
      const here = moves.filter((m) => fits(m) && m.from === name);
      const there = picked.from ? moves.filter((m) => fits(m) && m.from === picked.from && m.to === name) : [];
      if (walls[name]) can(g, () => go(walls[name]));
      else if (there.length) can(g, () => (there.length === 1 ? go(there[0].action) : (picked.to = name, again())));
      else if (here.length && picked.from !== name) can(g, () => { picked.from = name; picked.to = null; again(); });
      if (picked.from === name) g.classList.add("picked");
    }
    element("text", { x: 14, y: 20 + y * S + S / 2, "text-anchor": "middle", class: "dim" }, root, side.cell(0, y).replace(/[A-Ea-e](?=\d)/, (c) => (c === "A" ? "" : c)).replace(/(?<=[a-e])\d/, ""));
  }
  for (let x = 0; x < 5; x++) {
    const name = side.cell(x, 4);
    element("text", { x: 30 + x * S + S / 2 - 2, y: 20 + 5 * S + 16, "text-anchor": "middle", class: "dim" }, root, /[A-E]/.test(name) ? name[0] : name[1]);
  }
  // The other's cards above, the one in the middle, one's own below.
  const cards = side.cards(s);
  const places = { 1: [[0, 0], [1, 0]], "-1": [[0.5, 1]], 0: [[0, 2], [1, 2]] };
  for (const c of cards) {
    const [cx, cy] = places[c.owner].shift();
    const g = element("g", { transform: `translate(${5 * S + 60 + cx * 180},${20 + cy * 148})`, "data-card": c.id }, root);
    card(g, c);
    const playable = act && c.owner === you && moves.some((m) => m.card === c.id && (!picked.from || m.from === picked.from) && (!picked.to || m.to === picked.to));
    if (playable) {
      can(g, () => {
        const exact = moves.filter((m) => m.card === c.id && m.from === picked.from && m.to === picked.to);
        if (picked.to && exact.length === 1) return go(exact[0].action);
        picked.card = picked.card === c.id ? null : c.id;
        again();
      });
    }
    if (c.owner === you && picked.card === c.id) g.classList.add("picked");
  }
  // What is no step of a man: to pass, to pick a card, to leave the wall.
  const others = moves.filter((m) => !m.from && !Object.values(walls).includes(m.action));
  host.replaceChildren(root);
  if (act && others.length) {
    const row = document.createElement("div");
    row.className = "moves";
    for (const m of others) {
      const b = document.createElement("button");
      b.className = "can";
      b.textContent = m.action === "s" ? "the wall stays" : m.action;
      b.onclick = () => go(m.action);
      row.append(b);
    }
    host.append(row);
  }

  function go(action) {
    picked = {};
    act(action);
  }
}

// wallTargets is the cells that the wall can go to, by name.
function wallTargets(s, rows) {
  const to = {};
  if (!s.legal.includes("s")) return to;
  const y = rows.findIndex((r) => r.includes("W")), x = rows[y].indexOf("W");
  const steps = { u: [0, -1], d: [0, 1], l: [-1, 0], r: [1, 0] };
  for (const a of s.legal) {
    if (steps[a]) to[sides.wallonitama.cell(x + steps[a][0], y + steps[a][1])] = a;
  }
  return to;
}

function man(g, side, mark) {
  const m = side.men[mark];
  const half = (S - 4) / 2;
  if (m) {
    element("circle", { cx: half, cy: half, r: m[1] ? 28 : 22, class: m[0] ? "second" : "first" }, g);
    if (m[1]) element("text", { x: half, y: half + 9, "text-anchor": "middle", "font-size": 26, style: "fill:#fff" }, g, "★");
  } else if (mark === "W") {
    element("rect", { x: 12, y: 12, width: S - 28, height: S - 28, rx: 3, style: "fill:#57534e" }, g);
  }
}

function card(g, c) {
  element("rect", { class: "cell", width: 150, height: 132, rx: 8, style: "fill:#fff" }, g);
  element("text", { x: 75, y: 18, "text-anchor": "middle", "font-size": 14 }, g, c.name);
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) {
      const middle = c.middle[0] === x && c.middle[1] === y;
      const step = c.steps.some(([sx, sy]) => sx === x && sy === y);
      element("rect", { x: 24 + x * 20.5, y: 25 + y * 20.5, width: 18, height: 18, rx: 2, style: `fill:${middle ? "#3f3f46" : step ? ["#2563eb", "#dc2626"][c.owner] ?? "#ca8a04" : "#eee"}` }, g);
    }
  }
}
