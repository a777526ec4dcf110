// This file reads the text and the sketch of a position of Patchwork.
import type { Position } from "../wire";

export type Cell = [x: number, y: number];

export interface Patch {
	letter: string;
	buttons: number; // price in buttons
	time: number;
	income: number;
	shapes: Record<string, Cell[]>; // cells in each orientation; identical orientations only once
}

export interface Sketch {
	offers: number;
	circle: Patch[]; // the patches that can be bought come first
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

export interface Placement {
	letter: string;
	x: number;
	y: number;
	turn: string;
}

export const columns = "ABCDEFGHI";

export const sketchOf = (p: Position) => p.sketch as Sketch;

export function seatsOf(position: string): Seat[] {
	return position.split(" ").slice(1, 3).map((text) => {
		const [time, buttons, income, quilt] = text.split(":");
		return { time: Number(time), buttons: Number(buttons), income: Number(income),
			rows: quilt.split("/").map((row) =>
				[...parseInt(row, 16).toString(2).padStart(9, "0")].map((bit) => bit === "1")
			) };
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

/** Returns the orientation that a patch has after f has been applied to its cells. */
export function changed(patch: Patch, turn: string, f: (c: Cell, size: [number, number]) => Cell): string {
	const cells = patch.shapes[turn], size = sizeOf(cells);
	const key = (list: Cell[]) => list.map(String).sort().join(" ");
	const want = key(cells.map((c) => f(c, size)));
	return Object.keys(patch.shapes).find((name) => key(patch.shapes[name]) === want) ?? turn;
}

export const turned = (patch: Patch, turn: string) => changed(patch, turn, ([x, y], [, h]) => [h - 1 - y, x]);
export const mirrored = (patch: Patch, turn: string) => changed(patch, turn, ([x, y], [w]) => [w - 1 - x, y]);

/** A patch on a quilt, and the cells that it covers. */
export interface Sewn {
	patch: Patch;
	cells: Cell[];
}

/** Returns the patches on each quilt whose place is known from the history of the game. */
export function sewnOf(history: Position[] | undefined): [Sewn[], Sewn[]] {
	const sewn: [Sewn[], Sewn[]] = [[], []];
	history?.forEach((p, i) => {
		const move = p.move && i > 0 ? placementOf(p.move) : undefined;
		const patch = move && patchOf(history[i - 1], move.letter);
		if (move && patch) sewn[history[i - 1].to_move === "first" ? 0 : 1].push({ patch, cells: cellsAt(patch, move) });
	});
	return sewn;
}

/** Returns the cells of a quilt that a patch covers at a placement. */
export const cellsAt = (patch: Patch, at: Placement): Cell[] =>
	(patch.shapes[at.turn] ?? []).map(([x, y]) => [at.x + x, at.y + y]);

/**
 * The numbers of colours and of weaves (cloth patterns). No two patches have both the same colour
 * and the same weave.
 */
export const colours = 8, weaves = 7;

/** Returns the number of a patch, decoded from its letter. */
export const numberOf = (patch: Patch) => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh".indexOf(patch.letter);

/**
 * Returns who holds the 7×7 tile, or undefined if the game is played without the tile.
 */
export function bonusOf(p: Position): { holder?: 0 | 1 } | undefined {
	const holder = p.position.split(" ")[6];
	if (!holder) return undefined;
	return { holder: holder === "1" ? 0 : holder === "2" ? 1 : undefined };
}

/**
 * The squares of the time board, 8 by 7, from its corner to its middle. The last one is three
 * squares wide.
 */
export const spiral: Cell[] = (() => {
	const way: Cell[] = [];
	for (let [left, top, right, bottom] = [0, 0, 7, 6]; left <= right && top <= bottom;
		left++, top++, right--, bottom--)
	{
		for (let x = left; x <= right; x++) way.push([x, top]);
		for (let y = top + 1; y <= bottom; y++) way.push([right, y]);
		for (let x = right - 1; x >= left && bottom > top; x--) way.push([x, bottom]);
		for (let y = bottom - 1; y > top && left < right; y--) way.push([left, y]);
	}
	return way;
})();
