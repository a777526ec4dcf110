// The state of the table in Ô ăn quan: how many stones each place has, in a position or in the
// middle of a turn. It also tracks where each single stone is, so that stones can fly from field to
// field.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../wire";
import { skipped, still } from "./tools";

/** One stage of a turn, as the rules of the game store it in Position.stages. */
export interface Stage {
	do: "lift" | "drop" | "win" | "refill";
	field: number;
	stones: number;
	seat: number;
}

export interface Table {
	fields: number[];
	won: number[]; // number of captured stones, by seat
	kings: number[][]; // which big stones (0, 1) each seat captured, if the history is known
	big: boolean[]; // whether the big stones still lie on fields 0 and 6
	hand?: { field: number; stones: number; seat: number };
	flash?: number; // field of the current stage, which the board highlights
	prize?: Stage;
}

export const isKing = (f: number) => f % 6 === 0;

export function read(text: string, kings: number[][] = [[], []]): Table {
	const [counts, won, , big] = text.split(" ");
	return { fields: counts.split(",").map(Number), won: won.split(",").map(Number), kings,
		big: [big === undefined || big[0] === "1", big === undefined || big[1] === "1"] };
}

/** Returns how many points a big stone counts. */
export const valueOf = (position: Position) => (/big_value=5/.test(position.game) ? 5 : 10);

/** Returns for each seat which of the two big stones it has won during the game. */
function kingsOf(history: Position[] | undefined): number[][] {
	const kings: number[][] = [[], []];
	history?.forEach((p, i) => {
		if (i === 0) return;
		const { big } = read(history[i - 1].position);
		for (const s of (p.stages as Stage[] | undefined) ?? []) {
			if (s.do === "win" && isKing(s.field) && big[s.field / 6]) kings[s.seat].push(s.field / 6);
		}
	});
	return kings;
}

// carryOut returns the table after one stage of a turn.
function carryOut(t: Table, s: Stage): Table {
	const n: Table = { ...t, fields: [...t.fields], won: [...t.won], kings: t.kings.map((k) => [...k]), big: [...t.big],
		flash: s.field, prize: undefined };
	switch (s.do) {
		case "lift":
			n.fields[s.field] -= s.stones;
			n.hand = { field: s.field, stones: s.stones, seat: s.seat };
			break;
		case "drop":
			n.fields[s.field] += 1;
			n.hand = { field: s.field, stones: t.hand!.stones - 1, seat: s.seat };
			if (n.hand.stones === 0) n.hand = undefined;
			break;
		case "win":
			n.fields[s.field] = 0;
			n.won[s.seat] += s.stones;
			if (isKing(s.field) && n.big[s.field / 6]) n.kings[s.seat].push(s.field / 6);
			if (isKing(s.field)) n.big[s.field / 6] = false;
			n.hand = undefined;
			n.prize = s;
			break;
		case "refill":
			n.fields[s.field] += s.stones;
			n.won[s.seat] -= s.stones;
			break;
	}
	return n;
}

const delays = { lift: 320, drop: 200, win: 700, refill: 120 };

/**
 * Returns the table to draw: the table of the position or, during the animation of its turn, the
 * table after the current stage. Calling skip ends the animation.
 */
export function useTable(position: Position, before: Position | undefined,
	history: Position[] | undefined): { table: Table; skip?(): void }
{
	const [shown, show] = useState<{ at: Position; table: Table }>();
	const running = useRef<Position | undefined>(undefined), timer = useRef(0);
	const stages = position.stages as Stage[] | undefined;
	const animate = before && stages && !still() ? before : undefined;
	const start = () => read(animate!.position, kingsOf(history?.slice(0, -1)));
	useEffect(() => {
		if (!animate) return;
		running.current = position;
		// The animation of a long turn is faster, so that no turn takes more than about six
		// seconds.
		const total = stages!.reduce((sum, s) => sum + delays[s.do], 0), speed = Math.max(1, total / 6000);
		let table = start(), i = 0;
		const next = () => {
			if (i === stages!.length) {
				show(undefined);
				return;
			}
			table = carryOut(table, stages![i]);
			show({ at: position, table });
			timer.current = setTimeout(next, delays[stages![i++].do] / speed);
		};
		next();
		return () => {
			clearTimeout(timer.current);
			show(undefined);
		};
	}, [position]);
	const skip = () => {
		clearTimeout(timer.current);
		show(undefined);
		dispatchEvent(new Event(skipped));
	};
	if (shown?.at === position) return { table: shown.table, skip };
	if (animate && running.current !== position) return { table: start() };
	return { table: read(position.position, kingsOf(history)) };
}

/**
 * The ids of the small stones by place: "f0" to "f11" for the fields, "hand", and "w0" and "w1" for
 * stones won.
 */
export type Places = { [place: string]: number[] };

// smallOf counts the small stones in each place.
function smallOf(t: Table, value: number): { [place: string]: number } {
	const counts: { [place: string]: number } = { hand: t.hand?.stones ?? 0 };
	t.fields.forEach((n, f) => {
		counts[`f${f}`] = Math.max(0, n - (isKing(f) && t.big[f / 6] ? value : 0));
	});
	t.won.forEach((n, s) => {
		counts[`w${s}`] = Math.max(0, n - value * t.kings[s].length);
	});
	return counts;
}

/** Returns the stones of a table. As many stones as possible stay where they were. */
export function useStones(table: Table, value: number): Places {
	const places = useRef<Places>({}), born = useRef(0);
	const counts = smallOf(table, value), free: number[] = [], next: Places = {};
	for (const [place, n] of Object.entries(counts)) {
		const old = places.current[place] ?? [];
		next[place] = old.slice(0, n);
		free.push(...old.slice(n));
	}
	for (const [place, n] of Object.entries(counts)) {
		while (next[place].length < n) next[place].push(free.pop() ?? born.current++);
	}
	return (places.current = next);
}
