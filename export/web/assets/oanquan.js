// Ô ăn quan: twelve fields in a ring, two of them kings.
import { svg, element, can } from "./svg.js";

const S = 104;
let picked = null; // a field

export function draw(host, s, game, act) {
  const [counts, won, , big] = s.position.split(" ");
  const fields = counts.split(",").map(Number);
  const points = won.split(",").map(Number);
  const root = svg(7 * S + 40, 2 * S + 120);
  const again = () => draw(host, s, game, act);
  const place = (f) => (f === 0 ? [0, 0.5] : f === 6 ? [6, 0.5] : f < 6 ? [f, 0] : [12 - f, 1]);
  // Player 1 has the upper row.
  element("text", { x: 20 + S, y: 24 }, root, `player 1: ${points[0]} won`);
  element("text", { x: 20 + S, y: 2 * S + 84 }, root, `player 2: ${points[1]} won`);
  fields.forEach((n, f) => {
    const [x, y] = place(f);
    const king = f % 6 === 0;
    const g = element("g", { transform: `translate(${20 + x * S},${40 + (king ? 0 : y * S)})`, "data-field": f }, root);
    const h = king ? 2 * S - 6 : S - 6;
    element("rect", { class: "cell", width: S - 6, height: h, rx: king ? 46 : 10 }, g);
    const bigHere = king && (big === undefined || big[f === 0 ? 0 : 1] === "1");
    stones(g, bigHere ? n - 10 : n, h);
    if (bigHere) element("ellipse", { cx: S / 2 - 3, cy: h / 2, rx: 22, ry: 30, style: "fill:#78716c" }, g);
    element("text", { x: S / 2 - 3, y: h - 8, "text-anchor": "middle", "font-size": 15 }, g, n);
    element("text", { x: 10, y: 18, class: "dim", "font-size": 11 }, g, f);
    if (act && s.legal.some((a) => parseInt(a) === f)) can(g, () => { picked = f; again(); });
    if (act && picked === f) g.classList.add("picked");
  });
  host.replaceChildren(root);
  if (!act) return;
  const row = document.createElement("div");
  row.className = "moves";
  const ways = s.legal.filter((a) => parseInt(a) === picked);
  if (!ways.length) row.append("pick one of your fields");
  for (const a of ways) {
    const b = document.createElement("button");
    b.className = "can";
    b.textContent = a.endsWith("+") ? `${a} clockwise ↻` : `${a} the other way ↺`;
    b.onclick = () => { picked = null; act(a); };
    row.append(b);
  }
  host.append(row);
}

function stones(g, n, h) {
  for (let i = 0; i < Math.min(n, 30); i++) {
    const r = 9 * Math.sqrt(i + 0.4), a = i * 2.4;
    element("circle", { cx: S / 2 - 3 + r * Math.cos(a), cy: h / 2 - 8 + r * Math.sin(a), r: 5, style: "fill:#a16207" }, g);
  }
}
