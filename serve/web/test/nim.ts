// A back end for the game Nim with one heap. Each move takes one or two stones, and the player who
// takes the last stone wins. In the position "5 first", the heap has five stones and the player
// First is to move.
import type { Analysis, Backend, Player, Position, Query } from "../src/backend/backend";
import type { Outside } from "../src/play/outside";

const other = (p: Player): Player => (p === "first" ? "second" : "first");

export function position(text: string, move?: string): Position {
	const [heap, to_move] = text.split(" ") as [string, Player], stones = Number(heap);
	if (!(stones >= 0)) throw new Error(`${text}: no heap`);
	return { game: "nim", position: text, to_move, outcome: stones ? "ongoing" : other(to_move),
		legal: stones ? ["1", "2"].slice(0, stones) : [], move };
}

export function follow(text: string, moves: string[]): Position[] {
	return moves.reduce((all, move) => {
		const { position: at, to_move, legal } = all[all.length - 1];
		if (!legal.includes(move)) throw new Error(`${move}: not legal`);
		return [...all, position(`${Number(at.split(" ")[0]) - Number(move)} ${other(to_move)}`, move)];
	}, [position(text)]);
}

// valueOf returns the exact value for the player First. The player to move loses if the number of
// stones is a multiple of three.
function valueOf(p: Position): number {
	const loses = Number(p.position.split(" ")[0]) % 3 === 0;
	return loses === (p.to_move === "first") ? -1 : 1;
}

/** Returns the result of a complete search of a position. */
export function analysis(text: string, visits = 100): Analysis {
	const p = position(text), sign = p.to_move === "first" ? 1 : -1;
	const moves = p.legal.map((move) => {
		const [, after] = follow(text, [move]), value = valueOf(after);
		return { move, visits: visits / 2, prior: 0.5, value, line: [move] };
	});
	moves.sort((a, b) => sign * (b.value - a.value));
	return { position: text, value: valueOf(p), visits, moves, simulations_per_second: 1000, done: true };
}

/** A back end that records the searches it was asked for. */
export function nim(): Backend & { asked: Query[]; kept: string[][] } {
	const asked: Query[] = [], kept: string[][] = [];
	return { asked, kept, site: { backend: "server", pages: ["play"], keeps: true },
		models: async () => [{ id: "a/best", name: "a", game: "nim", run: "a", about: "hash 1" }],
		rules: async () => "Take stones.", start: async () => position("5 first"),
		follow: async (_, text, moves) => follow(text, moves),
		read: async (_, text) => follow(text.split(",")[0], text.split(",").slice(1)),
		write: async (_, text, moves) => [text, ...moves].join(),
		keep: async (_game, _position, moves) => void kept.push(moves), analyse: async (query, each, signal) => {
			asked.push(query);
			await tick();
			const a = analysis(query.position, query.simulations);
			if (!signal.aborted) each(a);
			return a;
		} };
}

/** A browser without animation that records the addresses written to it. */
export function still(): Outside & { links: string[] } {
	const links: string[] = [];
	return { links, now: () => 0, still: () => true, whenShown: (_p, _since, f) => f(),
		address: (l) => void links.push(l), busy: () => {} };
}

const tick = () => new Promise((done) => setTimeout(done));

/** Waits until all pending requests are answered. */
export async function settled() {
	for (let i = 0; i < 60; i++) await tick();
}
