// The stones of Ô ăn quan.
import { heap, rows, type Layout, type Point } from "./oanquan_layout";
import { useStones, type Table } from "./oanquan_table";

const r = 12.5; // of a small stone

/** All stones where they lie. Each is drawn once and glides when it comes to lie elsewhere. */
export function Stones({ table, layout, upright, value }: { table: Table; layout: Layout; upright: boolean; value: number }) {
  const places = useStones(table, value);
  const size = upright ? 0.66 : 1; // of stones on a phone
  const lies = new Map<number, { at: Point; size: number; held?: boolean }>();
  for (const [place, ids] of Object.entries(places)) {
    const n = Number(place.slice(1));
    const points = place === "hand" ? (table.hand ? above(layout, table.hand.field, ids.length) : []) : place[0] === "f" ? heap(ids.length, layout.stones(n), r * size) : rows(ids.length, pileOf(layout, upright, n, table.kings[n].length), upright ? 15 : 23);
    const scale = place[0] === "w" ? Math.min(size, upright ? 0.52 : 0.8) : size;
    ids.forEach((id, i) => lies.set(id, { at: points[i], size: place === "hand" ? scale * 1.25 : scale, held: place === "hand" }));
  }
  return (
    <>
      {[0, 1].map((k) => {
        const owner = table.kings.findIndex((all) => all.includes(k));
        if (!table.big[k] && owner < 0) return null;
        const [x, y] = table.big[k] ? layout.king(6 * k) : wonKing(layout, upright, owner, table.kings[owner].indexOf(k));
        const scale = (table.big[k] ? 1 : 0.7) * (upright ? 0.72 : 1);
        return <g key={`big${k}`} class="stone glides" style={{ transform: `translate(${x}px,${y}px) scale(${scale})` }}><ellipse class="quan" rx="27" ry="36" /></g>;
      })}
      {[...lies].sort((a, b) => a[0] - b[0]).map(([id, { at, size, held }]) => (
        <g key={id} class={`stone glides ${held ? "held" : ""}`} style={{ transform: `translate(${at[0].toFixed(1)}px,${at[1].toFixed(1)}px) scale(${size})` }}>
          <ellipse class="dan" rx={r * (0.92 + 0.14 * dice(id, 1))} ry={r * (0.8 + 0.14 * dice(id, 2))} transform={`rotate(${Math.round(180 * dice(id, 3))})`} style={{ fill: `url(#pebble-${Math.floor(4 * dice(id, 4))})` }} />
        </g>
      ))}
    </>
  );
}

// dice is a number from 0 to 1 that belongs to a stone.
const dice = (id: number, which: number) => ((id * 7919 + which * 104729) % 997) / 997;

// above are the places of stones that a hand holds over a field.
function above(layout: Layout, f: number, n: number): Point[] {
  const [x, y, w, h] = layout.place(f);
  return heap(n, [x + w / 2 - 34, y + h / 2 - 44, 68, 60], r);
}

// pileOf is where the small stones of a player's winnings lie.
function pileOf(layout: Layout, upright: boolean, seat: number, kings: number): [number, number, number, number] {
  const [x, y, w, h] = layout.tray(seat), left = upright ? 10 + 30 * kings : 136 + 52 * kings;
  return upright ? [x + left, y + 28, w - left - 8, h - 34] : [x + left, y + 10, w - left - 14, h - 20];
}

function wonKing(layout: Layout, upright: boolean, seat: number, nth: number): Point {
  const [x, y, , h] = layout.tray(seat);
  return upright ? [x + 24 + 30 * nth, y + 46] : [x + 156 + 50 * nth, y + h / 2];
}
