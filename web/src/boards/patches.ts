// What the text and the sketch of a position of Patchwork say.
import type { Position } from "../backend/backend";

export type Cell = [x: number, y: number];

export interface Patch {
  letter: string;
  buttons: number; // its cost
  time: number;
  income: number;
  shapes: Record<string, Cell[]>; // by orientation; those that look alike are there once
}

export interface Sketch {
  offers: number;
  circle: Patch[]; // those on offer first
  special: Patch;
  finish: number;
  incomes: number[];
  specials: number[];
}

export interface Seat {
  time: number;
  buttons: number;
  income: number;
  rows: boolean[][];
}

export interface Placement { letter: string; x: number; y: number; turn: string }

export const columns = "ABCDEFGHI";

export const sketchOf = (p: Position) => p.sketch as Sketch;

export function seatsOf(position: string): Seat[] {
  return position.split(" ").slice(1, 3).map((text) => {
    const [time, buttons, income, quilt] = text.split(":");
    return {
      time: Number(time), buttons: Number(buttons), income: Number(income),
      rows: quilt.split("/").map((row) => [...parseInt(row, 16).toString(2).padStart(9, "0")].map((bit) => bit === "1")),
    };
  });
}

export function placementOf(action: string): Placement | undefined {
  if (action.length !== 4) return undefined;
  return { letter: action[0], x: columns.indexOf(action[1]), y: columns.indexOf(action[2]), turn: action[3] };
}

export const actionOf = (p: Placement) => p.letter + columns[p.x] + columns[p.y] + p.turn;

export function patchOf(p: Position, letter: string): Patch | undefined {
  const sketch = sketchOf(p);
  return letter === sketch.special.letter ? sketch.special : sketch.circle.find((c) => c.letter === letter);
}

export function sizeOf(cells: Cell[]): [w: number, h: number] {
  return [Math.max(...cells.map((c) => c[0])) + 1, Math.max(...cells.map((c) => c[1])) + 1];
}

/** The name of the orientation that a patch has after its cells went through f. */
export function changed(patch: Patch, turn: string, f: (c: Cell, size: [number, number]) => Cell): string {
  const cells = patch.shapes[turn], size = sizeOf(cells);
  const key = (list: Cell[]) => list.map(String).sort().join(" ");
  const want = key(cells.map((c) => f(c, size)));
  return Object.keys(patch.shapes).find((name) => key(patch.shapes[name]) === want) ?? turn;
}

export const turned = (patch: Patch, turn: string) => changed(patch, turn, ([x, y], [, h]) => [h - 1 - y, x]);
export const mirrored = (patch: Patch, turn: string) => changed(patch, turn, ([x, y], [w]) => [w - 1 - x, y]);

/** What covers a cell of a quilt. */
export interface Cover { patch: Patch; button: boolean }

/** What covers each cell of both quilts, as far as the history of the game tells. */
export function coverOf(history: Position[] | undefined): (Cover | undefined)[][][] {
  const cover = [0, 1].map(() => Array.from({ length: 9 }, () => Array<Cover | undefined>(9).fill(undefined)));
  history?.forEach((p, i) => {
    const move = p.move && i > 0 ? placementOf(p.move) : undefined;
    if (!move) return;
    const before = history[i - 1], patch = patchOf(before, move.letter);
    const seat = before.to_move === "first" ? 0 : 1;
    patch?.shapes[move.turn]?.forEach(([x, y], n) => { cover[seat][move.y + y][move.x + x] = { patch, button: n < patch.income }; });
  });
  return cover;
}

/** One of eight colours for a patch. */
export const clothOf = (patch: Patch | undefined) => (patch ? `cloth-${(patch.letter.charCodeAt(0) * 5) % 8}` : "cloth");
