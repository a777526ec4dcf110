// A board of cells, as engine.Gridder describes it. One moves by clicking the cells that the name of
// an action has, in their order.
import { useEffect, useState } from "preact/hooks";
import type { Position } from "../backend/backend";
import { phrase, say } from "../words";
import type { BoardProps } from "./board";
import { Figures, written } from "./figures";

export interface Cell { name: string; owner?: "first" | "second"; piece?: string }
export interface Grid { rows: Cell[][] }

const pieces: { [piece: string]: string } = { cross: phrase("cross"), ring: phrase("nought"), wall: phrase("wall") };

export const sideName = (p: "first" | "second") => (p === "first" ? say("First") : say("Second"));

const S = 100; // side of a cell

export function gridOf(position: Position): Grid | undefined {
  const sketch = position.sketch as Partial<Grid> | undefined;
  return Array.isArray(sketch?.rows) ? (sketch as Grid) : undefined;
}

// The cells that an action names, in order. Longer names are tried first: a1 is not the begin of a10.
function pathOf(action: string, names: string[]): string[] {
  const words = [...names].sort((a, b) => b.length - a.length).map((n) => n.replace(/[^\w]/g, "\\$&"));
  return action.match(new RegExp(words.join("|"), "g")) ?? [];
}

function Piece({ cell }: { cell: Cell }) {
  if (!cell.owner && !cell.piece) return null;
  const mid = S / 2;
  switch (cell.piece) {
    case "cross": return <path class={`${cell.owner} stroke`} d="M25 25 75 75M75 25 25 75" />;
    case "ring": return <circle class={`${cell.owner} stroke`} cx={mid} cy={mid} r="27" />;
    case "wall": return <rect class="wall" x="12" y="12" width={S - 24} height={S - 24} rx="6" />;
  }
  return (
    <>
      <circle class={`man ${cell.owner ?? "wall"}`} cx={mid} cy={mid} r="34" />
      {cell.piece && <text class={`on-${cell.owner}`} x={mid} y={mid} text-anchor="middle" dominant-baseline="central" style="font-size: 34px">{cell.piece}</text>}
    </>
  );
}

export function GridBoard({ position, marks, onAct }: BoardProps) {
  const [picked, pick] = useState<string[]>([]);
  useEffect(() => pick([]), [position.position]);
  const rows = gridOf(position)?.rows ?? [[]];
  const names = rows.flat().map((c) => c.name);
  const actions = position.legal.map((action) => ({ action, path: pathOf(action, names) }));
  const open = actions.filter((a) => picked.every((name, i) => a.path[i] === name));
  const done = open.filter((a) => a.path.length === picked.length); // what cells alone do not tell apart
  const last = position.move ? pathOf(position.move, names) : [];
  const weight = (name: string) => Math.max(0, ...(marks ?? []).filter((m) => pathOf(m.action, names)[picked.length] === name && pathOf(m.action, names).slice(0, picked.length).join() === picked.join()).map((m) => m.weight));

  const figured = (name: string) => {
    const [m] = written(marks ?? [], (m) => (pathOf(m.action, names)[picked.length] === name && pathOf(m.action, names).slice(0, picked.length).join() === picked.join() ? name : undefined));
    return m && <Figures x={S / 2} y={S / 2} mark={m} size={20} />;
  };

  const click = (name: string) => {
    const path = [...picked, name];
    const next = open.filter((a) => a.path[picked.length] === name);
    if (!next.length) return pick(actions.some((a) => a.path[0] === name) ? [name] : []);
    if (next.length === 1 && next[0].path.length === path.length) return onAct!(next[0].action);
    pick(path);
  };
  return (
    <>
      <svg class="board grid-board" viewBox={`-4 -4 ${S * rows[0].length + 8} ${S * rows.length + 8}`} role="group" aria-label={say("Board")} onKeyDown={(e) => e.key === "Escape" && pick([])}>
        {rows.flatMap((row, y) => row.map((cell, x) => {
          const can = !!onAct && (open.some((a) => a.path[picked.length] === cell.name) || actions.some((a) => a.path[0] === cell.name));
          const heat = weight(cell.name);
          const act = () => can && click(cell.name);
          const holds = [cell.owner && sideName(cell.owner), cell.piece && (pieces[cell.piece] ? say(pieces[cell.piece]) : cell.piece)].filter(Boolean).join(" ") || say("empty");
          return (
            <g
              key={cell.name} transform={`translate(${x * S},${y * S})`} data-cell={cell.name}
              class={`${can ? "can" : ""}${picked.includes(cell.name) ? " picked" : ""}`} role={can ? "button" : "img"} tabindex={can ? 0 : undefined} aria-label={`${cell.name}: ${holds}`}
              onClick={act} onKeyDown={(e) => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), act())}
            >
              <rect class={`cell${last.includes(cell.name) ? " last" : ""}`} x="2" y="2" width={S - 4} height={S - 4} rx="8" />
              {heat > 0 && <rect class="heat" x="6" y="6" width={S - 12} height={S - 12} rx="6" opacity={heat} />}
              <Piece cell={cell} />
            </g>
          );
        }))}
        {rows.flatMap((row, y) => row.map((cell, x) => <g key={cell.name} transform={`translate(${x * S},${y * S})`} aria-hidden="true">{figured(cell.name)}</g>))}
      </svg>
      {onAct && <div class="row">{(picked.length ? done : actions.filter((a) => !a.path.length)).map((a) => <button key={a.action} class="can" onClick={() => onAct(a.action)}>{a.action}</button>)}</div>}
    </>
  );
}
