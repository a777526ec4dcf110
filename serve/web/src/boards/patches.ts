// What the text and the sketch of a position of Patchwork say.
import type { Position } from "../wire";

export type Cell = [x: number, y: number];

export interface Patch {
	letter: string;
	buttons: number; // its cost
	time: number;
	income: number;
	shapes: Record<string, Cell[]>; // by orientation; of orientations that look alike only one is listed
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

/** The name of the orientation that a patch has after its cells went through f. */
export function changed(patch: Patch, turn: string, f: (c: Cell, size: [number, number]) => Cell): string {
	const cells = patch.shapes[turn], size = sizeOf(cells);
	const key = (list: Cell[]) => list.map(String).sort().join(" ");
	const want = key(cells.map((c) => f(c, size)));
	return Object.keys(patch.shapes).find((name) => key(patch.shapes[name]) === want) ?? turn;
}

export const turned = (patch: Patch, turn: string) => changed(patch, turn, ([x, y], [, h]) => [h - 1 - y, x]);
export const mirrored = (patch: Patch, turn: string) => changed(patch, turn, ([x, y], [w]) => [w - 1 - x, y]);

/** A patch that was sewn onto a quilt, and the cells that it covers there. */
export interface Sewn {
	patch: Patch;
	cells: Cell[];
}

/** The patches on both quilts that the history of the game tells of. */
export function sewnOf(history: Position[] | undefined): [Sewn[], Sewn[]] {
	const sewn: [Sewn[], Sewn[]] = [[], []];
	history?.forEach((p, i) => {
		const move = p.move && i > 0 ? placementOf(p.move) : undefined;
		const patch = move && patchOf(history[i - 1], move.letter);
		if (move && patch) sewn[history[i - 1].to_move === "first" ? 0 : 1].push({ patch, cells: cellsAt(patch, move) });
	});
	return sewn;
}

/** The cells of a quilt that a patch covers where it is put. */
export const cellsAt = (patch: Patch, at: Placement): Cell[] =>
	(patch.shapes[at.turn] ?? []).map(([x, y]) => [at.x + x, at.y + y]);

/** How many colours and weaves there are: no two patches have both in common. */
export const colours = 8, weaves = 7;

/** The number of a patch, from its letter. */
export const numberOf = (patch: Patch) => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh".indexOf(patch.letter);

/** Whether the first to fill a square of 7 by 7 gets 7 points, and who has got them. */
export function bonusOf(p: Position): { holder?: 0 | 1 } | undefined {
	const holder = p.position.split(" ")[6];
	if (!holder) return undefined;
	return { holder: holder === "1" ? 0 : holder === "2" ? 1 : undefined };
}

/** The squares of the time board, 8 by 7, from its corner into its middle, where the last is three squares wide. */
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
