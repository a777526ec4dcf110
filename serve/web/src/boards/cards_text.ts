// This file reads the texts and sketches of Onitama's positions, with and without a wall. For each
// man and each card, it also finds the same man or card in the previous position.
import type { Position } from "../wire";
import { phrase, say } from "../words";

export type Point = [x: number, y: number];

/** A card on the table. Its picture shows the view of the player First, who sits at the bottom. */
export interface Card {
	slot: string; // name of the card in its owner's actions
	name: string;
	owner: 0 | 1 | -1;
	turned: boolean; // whether the card points to the bottom of the board
	middle: Point;
	steps: Point[]; // cells in the card's picture: column and row from the top left
}

export interface Move {
	action: string;
	slot?: string;
	from?: string;
	to?: string;
	wall?: string; // how the wall moves: u, d, l, r, or s if it stays
}

/**
 * The notation of positions and actions in one of the two games (Onitama with and without a wall).
 */
export interface Side {
	men: Record<string, [owner: 0 | 1, master: boolean]>;
	cell(x: number, y: number): string;
	split(action: string): Move;
	cards(position: Position): Card[];
}

/** The cards of Onitama, by number. */
export const deck = [
	phrase("eel"),
	phrase("crane"),
	phrase("frog"),
	phrase("horse"),
	phrase("boar"),
	phrase("rooster"),
	phrase("crab"),
	phrase("ox"),
	phrase("cobra"),
	phrase("rabbit"),
	phrase("dragon"),
	phrase("monkey"),
	phrase("goose"),
	phrase("elephant"),
	phrase("mantis"),
	phrase("tiger"),
];

/** The name of a card: an animal, or a number if the cards have no names. */
export const cardName = (c: Card) => (/\d$/.test(c.name) ? say("card {0}", c.slot) : say(c.name));

/** Maps each letter in the text of a position to the name of the thing that it stands for. */
export function menNames(side: Side): Record<string, string> {
	return side === walled
		? { A: phrase("blue general"), a: phrase("blue soldier"), B: phrase("red general"), b: phrase("red soldier"),
			W: phrase("the wall"), ".": phrase("nothing") }
		: { W: phrase("blue master"), w: phrase("blue student"), B: phrase("red master"), b: phrase("red student"),
			".": phrase("nothing") };
}

const letters = "ABCDE";
export const classic: Side = { men: { W: [0, true], w: [0, false], B: [1, true], b: [1, false] },
	cell: (x, y) => letters[x] + (5 - y), split: (action) => {
		const m = /^(\d+) (?:([A-E]\d)([A-E]\d)|PASS)$/.exec(action);
		return { action, slot: m?.[1], from: m?.[2], to: m?.[3] };
	}, cards: (p) => {
		const sketch = p.sketch as { cards: { id: number; name: string; owner: 0 | 1 | -1; steps: Point[] }[] };
		return sketch.cards.map((c) => {
			const turned = c.owner === 1 || (c.owner < 0 && p.to_move === "second");
			const sign = turned ? -1 : 1;
			return { slot: String(c.id), name: c.name, owner: c.owner, turned, middle: [2, 2] as Point,
				steps: c.steps.map(([dx, dy]) => [2 + sign * dx, 2 - sign * dy] as Point) };
		});
	} };

export const walled: Side = { men: { A: [0, true], a: [0, false], B: [1, true], b: [1, false] },
	cell: (x, y) => "abcde"[y] + (x + 1), split: (action) => {
		if (/^[uldrs]$/.test(action)) return { action, wall: action };
		const m = /^(\d)(?:([a-e]\d)([a-e]\d)|XX)$/.exec(action);
		return { action, slot: m?.[1], from: m?.[2], to: m?.[3] };
	}, cards: (p) =>
		p.position.split(" ").slice(3, 8).map((text, i) => {
			const owner = i < 2 ? 0 : i < 4 ? 1 : -1;
			const found = (mark: string) =>
				[...text].flatMap((c, n) => (c === mark ? [[n % 5, Math.floor(n / 5)] as Point] : []));
			return { slot: String((i % 2) + 1), name: owner < 0 ? phrase("side card") : `card ${(i % 2) + 1}`, owner,
				turned: owner === 1 || (owner < 0 && p.to_move === "second"), middle: found("o")[0], steps: found("x") };
		}) };

export const steps: Record<string, Point> = { u: [0, -1], d: [0, 1], l: [-1, 0], r: [1, 0], s: [0, 0] };
export const rowsOf = (p: Position) => p.position.split(" ")[0].split("/");

export function findWall(rows: string[], side: Side): Point | undefined {
	if (side !== walled) return undefined;
	const y = rows.findIndex((r) => r.includes("W"));
	return y < 0 ? undefined : [rows[y].indexOf("W"), y];
}

// A Piece is a man or a wall on the board. It keeps its identity when it moves, so that the board
// can animate the move.
export interface Piece {
	id: number;
	mark: string;
	x: number;
	y: number;
}

let born = 0;

// piecesAfter returns the men and the wall of a position. Each keeps its identity from the previous
// position. The action determines which one has moved.
export function piecesAfter(side: Side, rows: string[], old: Piece[] | undefined, action: string | undefined): Piece[] {
	const at = new Map<string, number>();
	const move = action && old ? side.split(action) : undefined;
	for (const p of old ?? []) at.set(side.cell(p.x, p.y) + p.mark, p.id);
	const pieces: Piece[] = [];
	rows.forEach((row, y) =>
		[...row].forEach((mark, x) => {
			if (mark === ".") return;
			const name = side.cell(x, y);
			let id = at.get(name + mark);
			if (move?.to === name && move.from) id = at.get(move.from + mark) ?? id;
			pieces.push({ id: id ?? 0, mark, x, y });
		})
	);
	// The wall has moved. It may have changed places with a soldier.
	if (move?.wall && old) {
		const missing = pieces.filter((p) => !p.id);
		const free = old.filter((o) => !pieces.some((p) => p.id === o.id));
		for (const p of missing) p.id = free.find((o) => o.mark === p.mark)?.id ?? 0;
	}
	for (const p of pieces) p.id ||= ++born;
	return pieces.sort((a, b) => a.id - b.id);
}

// cardIds returns the identities of the five cards of a position, so that cards can be animated.
export function cardIds(side: Side, now: Position, before: Position | undefined, old: number[] | undefined): number[] {
	const cards = side.cards(now);
	if (!before || !old) return cards.map(() => ++born);
	const was = side.cards(before);
	const move = side.split(now.move!);
	if (!move.slot) return old; // moving the wall uses no card
	const you = before.to_move === "first" ? 0 : 1;
	const used = was.findIndex((c) => c.owner === you && c.slot === move.slot);
	const middle = was.findIndex((c) => c.owner < 0);
	const same = (a: Card, b: Card) => a.owner === b.owner && a.slot === b.slot && String(a.steps) === String(b.steps);
	return cards.map((c) => {
		const i = was.findIndex((w, n) => n !== used && n !== middle && same(w, c));
		if (i >= 0) return old[i];
		const swapped = now.outcome === "ongoing" || !cards.every((x, n) => same(x, was[n]));
		if (!swapped) return old[was.findIndex((w) => same(w, c))];
		return c.owner < 0 ? old[used] : old[middle];
	});
}
