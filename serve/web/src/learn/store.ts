// This file stores in the browser what the user learns from: finished games, and the mistakes in
// them as flash cards, which are shown again at growing intervals. localStorage holds only 5 MB;
// when it is full, the oldest entries are dropped.
import { createEmptyCard, fsrs, Rating, type Card as Schedule } from "ts-fsrs";
import type { Player, Position } from "../wire";
import { gradeAfter, isClear, type Finding, type Findings, type Task } from "../play/search";
import type { Game } from "../play/table";
import { keep, kept } from "../kept";
import { say } from "../words";

/** A finished game. */
export interface KeptGame {
	id: string; // when it was stored
	game: string;
	position: string; // the first position of the game
	moves: string[];
	outcome: string;
	persons: Player[]; // sides that a human played
}

/** A position with one good move, which the user has to find. */
export interface Card extends Task {
	game: string;
	position: string;
	schedule: Schedule;
}

const most = { games: 200, cards: 1000, found: 1000 };

function load<T>(name: string): T[] {
	const all = kept<T[]>(name, []);
	return Array.isArray(all) ? all : [];
}

// store stores the newest entries: as many as fit.
function store(name: string, all: unknown[]) {
	let from = 0;
	while (!keep(name, all.slice(from)) && from < all.length) from = Math.ceil(from + (all.length - from) / 4);
}

export const keptGames = () => load<KeptGame>("dojo-games");
export const keptCards = () => load<Card>("dojo-cards").filter((c) => c.position && c.best && c.schedule);

/**
 * Stores a finished game, unless it is already stored. Returns whether it is new. persons are the
 * sides that a human played.
 */
export function keepGame(game: Game, persons: Player[]): boolean {
	const [first, ...rest] = game.positions, moves = rest.map((p) => p.move!);
	const all = keptGames(), text = moves.join();
	if (!persons.length || all.some((g) => g.position === first.position && g.moves.join() === text)) return false;
	const kept = { id: new Date().toISOString(), game: first.game, position: first.position, moves,
		outcome: rest[rest.length - 1].outcome, persons };
	store("dojo-games", [...all, kept].slice(-most.games));
	return true;
}

export function dropGame(id: string) {
	store("dojo-games", keptGames().filter((g) => g.id !== id));
}

type Found = [judge: string, position: string, finding: Finding];

/**
 * Returns the search results that earlier visits stored, by judge. A judge is a game together with
 * the model that searched.
 */
export function keptFindings(): Map<string, Findings> {
	const all = new Map<string, Findings>();
	for (const [judge, position, finding] of load<Found>("dojo-found")) {
		if (finding?.visits) all.set(judge, (all.get(judge) ?? new Map()).set(position, finding));
	}
	return all;
}

let waiting: Found[] = [], timer = 0;

/**
 * Stores the result of a search, but only after a second, because results change several times a
 * second.
 */
export function keepFinding(judge: string, position: string, finding: Finding) {
	waiting = [...waiting.filter(([j, p]) => j !== judge || p !== position), [judge, position, finding]];
	timer ||= setTimeout(keepAll, 1000);
}

function keepAll() {
	clearTimeout(timer);
	timer = 0;
	if (!waiting.length) return;
	const fresh = new Set(waiting.map(([j, p]) => `${j} ${p}`));
	store("dojo-found",
		[...load<Found>("dojo-found").filter(([j, p]) => !fresh.has(`${j} ${p}`)), ...waiting].slice(-most.found));
	waiting = [];
}

globalThis.addEventListener?.("pagehide", keepAll); // in tests there is no page

/**
 * Makes cards from the mistakes that humans made in a reviewed game, in positions where one move
 * was clearly the best. Returns the number of new cards.
 */
export function keepMistakes(positions: Position[], found: Findings, persons: Player[]): number {
	return addCards(positions.slice(1).flatMap((after, i) => {
		const before = positions[i], finding = found.get(before.position), best = finding?.best,
			grade = gradeAfter(before, after, found);
		if (!best || !isClear(finding, before.to_move) || !persons.includes(before.to_move) ||
			(grade !== "mistake" && grade !== "blunder")) return [];
		return [{ game: before.game, position: before.position, best: best.move, line: best.line, value: best.value,
			played: after.move }];
	}));
}

export function addCards(fresh: Omit<Card, "schedule">[]): number {
	const all = keptCards(), known = new Set(all.map((c) => `${c.game} ${c.position}`));
	const added = fresh.filter((c) => !known.has(`${c.game} ${c.position}`)).map((c) => ({ ...c,
		schedule: createEmptyCard() })
	);
	store("dojo-cards", [...all, ...added].slice(-most.cards));
	return added.length;
}

/**
 * Schedules when a card is shown again. solved says whether the first answer was right.
 */
export function rate(card: Card, solved: boolean) {
	const { card: schedule } = fsrs().next(card.schedule, new Date(), solved ? Rating.Good : Rating.Again);
	store("dojo-cards",
		keptCards().map((c) => (c.game === card.game && c.position === card.position ? { ...c, schedule } : c)));
}

export function dropCard(card: Card) {
	store("dojo-cards", keptCards().filter((c) => c.game !== card.game || c.position !== card.position));
}

/** Returns the due cards of the given games, the longest overdue first. */
export function dueCards(games: string[]): Card[] {
	const now = Date.now(), due = (c: Card) => new Date(c.schedule.due).getTime();
	return keptCards().filter((c) => games.includes(c.game) && due(c) <= now).sort((a, b) => due(a) - due(b));
}

/**
 * Reads a file of puzzles with one line of JSON for each puzzle, as "dojo puzzles" writes it. If a
 * line is wrong, it throws an Error that names the line.
 */
export function readPuzzles(text: string): Omit<Card, "schedule">[] {
	return text.split("\n").flatMap((line, i) => {
		if (!line.trim()) return [];
		let p: Partial<Card>;
		try {
			p = JSON.parse(line);
		} catch {
			throw new Error(say("line {0} is not JSON", i + 1));
		}
		const { game, position, best, line: moves, value, played } = p;
		if (typeof game !== "string" || typeof position !== "string" || typeof best !== "string") {
			throw new Error(say("line {0} has no game, position and best move", i + 1));
		}
		return [{ game, position, best, line: Array.isArray(moves) ? moves.map(String) : [best], value: Number(value) || 0,
			played: played && String(played) }];
	});
}
