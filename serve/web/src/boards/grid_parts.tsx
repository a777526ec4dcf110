// The parts of a board of cells, for games that have no board of their own.
import type { ComponentChildren } from "preact";
import { phrase, say } from "../words";

export interface Cell {
	name: string;
	owner?: "first" | "second";
	piece?: string;
	mark?: "first" | "second" | "special";
}

export const S = 100; // side length of a cell
const edge = 34; // width of the border with the names of rows and columns

const pieces: { [piece: string]: string } = { cross: phrase("cross"), ring: phrase("nought"), wall: phrase("wall") };

export const sideName = (p: "first" | "second") => (p === "first" ? say("First") : say("Second"));

/** Describes the content of a cell in words. */
export const holds = ({ owner, piece = "" }: Cell) => {
	const what = pieces[piece] ? say(pieces[piece]) : piece;
	return owner ? `${sideName(owner)}${what ? ` ${what}` : ""}` : what || say("empty");
};

/** Describes the mark of a cell. The text is added to the description of the cell's content. */
export const marked = (
	{ mark }: Cell,
) => (!mark ? "" : `, ${mark === "special" ? say("marked") : say("goal of {0}", sideName(mark))}`);

/** Draws the hatching of a marked cell. */
export const Hatch = (
	{ mark }: Cell,
) => (mark ? <path class={`hatch ${mark}`} d="M8 36 36 8M8 64 64 8M8 92 92 8M36 92 92 36M64 92 92 64" /> : null);

/**
 * Draws the frame of the board. If the cells have names like a1, it also writes the names of rows
 * and columns.
 */
export function Frame({ rows, children }: { rows: Cell[][]; children: ComponentChildren }) {
	const w = S * rows[0].length, h = S * rows.length,
		split = rows.map((row) => row.map((c) => /^([a-z])(\d+)$/.exec(c.name)));
	const named = split.flat().every(Boolean);
	return <>
		<rect class="frame" x={-edge} y={-edge} width={w + 2 * edge} height={h + 2 * edge} rx="18" />
		<rect class="frame-line" x={-6} y={-6} width={w + 12} height={h + 12} rx="8" />
		{named &&
			(<g class="names" aria-hidden>
				{split.map((row, y) =>
					<text key={y} x={-edge / 2 - 2} y={(y + 0.5) * S} text-anchor="middle" dominant-baseline="central">
						{row[0]![2]}
					</text>
				)}
				{split[0].map((m, x) =>
					<text key={x} x={(x + 0.5) * S} y={h + edge / 2 + 3} text-anchor="middle" dominant-baseline="central">
						{m![1]}
					</text>
				)}
			</g>)}
		{children}
	</>;
}

/** Returns the view box of a board with its frame. */
export const viewOf = (rows: Cell[][]) =>
	`${-edge - 2} ${-edge - 2} ${S * rows[0].length + 2 * edge + 4} ${S * rows.length + 2 * edge + 4}`;

/** Draws a piece or a sign, centred on the middle of its cell. */
export function Piece({ cell }: { cell: Cell }) {
	switch (cell.piece) {
		case "cross":
			return <path class={`${cell.owner} stroke`} d="M-25 -25 25 25M25 -25 -25 25" />;
		case "ring":
			return <circle class={`${cell.owner} stroke`} r="27" />;
		case "wall":
			return <g class="block">
				<rect x="-38" y="-38" width="76" height="76" rx="8" />
				<path d="M-38 -8H38M-38 20H38M-8 -38V-8M14 -8V20M-14 20V38" />
			</g>;
	}
	return <g class={`man ${cell.owner ?? "wall"}`}>
		<ellipse class="shadow" cy="7" rx="34" ry="33" />
		<circle r="34" />
		<circle class="rim" r="25" />
		<path class="shine" d="M-24 -14A28 28 0 0 1 14 -24A34 34 0 0 0 -24 -14Z" />
		{cell.piece &&
			(<text class={`on-${cell.owner}`} text-anchor="middle" dominant-baseline="central">{cell.piece}</text>)}
	</g>;
}

/** A piece that keeps its identity when it moves, so that the board can animate the move. */
export interface Placed {
	id: number;
	cell: Cell;
}

let born = 0;

/**
 * Finds the pieces of a position. A piece that stays in its place keeps its identity. A piece in a
 * new place takes over the identity of an equal piece that has left its place.
 */
export function placedIn(rows: Cell[][], old: Placed[], path: string[]): Placed[] {
	const same = (a: Cell, b: Cell) => a.owner === b.owner && a.piece === b.piece;
	const left = new Map(old.map((p) => [p.cell.name, p]));
	const all: Placed[] = rows.flat().filter((cell) => cell.owner || cell.piece).map((cell) => ({ id: 0, cell }));
	for (const p of all) {
		const was = left.get(p.cell.name);
		if (was && same(was.cell, p.cell)) {
			p.id = was.id;
			left.delete(p.cell.name);
		}
	}
	// For a piece that has no identity yet, prefer the equal piece that left the first cell of the
	// move, then any other equal piece that left its cell.
	for (const p of all.filter((p) => !p.id)) {
		const from = [...left.values()].filter((o) =>
			same(o.cell, p.cell)
		).sort((a, b) => Number(b.cell.name === path[0]) - Number(a.cell.name === path[0]))[0];
		p.id = from?.id ?? ++born;
		if (from) {
			left.delete(from.cell.name);
		}
	}
	return all.sort((a, b) => a.id - b.id);
}

/** A board that only reacts to clicks, for position editors. */
export function GridPicture({ rows, click }: { rows: Cell[][]; click(name: string): void }) {
	return <svg class="board grid-board" viewBox={viewOf(rows)} role="group" aria-label={say("Board")}>
		<Frame rows={rows}>
			{rows.flatMap((row, y) =>
				row.map((cell, x) =>
					<g key={cell.name} data-cell={cell.name} class="can" role="button" tabindex={0}
						aria-label={`${cell.name}: ${holds(cell)}`} transform={`translate(${x * S},${y * S})`} onClick={() =>
						click(cell.name)} onKeyDown={(e) =>
						(e.key === "Enter" || e.key === " ") && (e.preventDefault(), click(cell.name))}>
						<rect class={`cell ${(x + y) % 2 ? "odd" : ""}`} x="2" y="2" width={S - 4} height={S - 4} rx="8" />
						{(cell.owner || cell.piece) && <g transform={`translate(${S / 2},${S / 2})`}>
							<Piece cell={cell} />
						</g>}
					</g>
				)
			)}
		</Frame>
	</svg>;
}
