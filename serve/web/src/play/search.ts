// This file interprets the results of searches: it grades moves, and computes chances and accuracy.
import type { Analysis, Model, Move, Outcome, Player, Position } from "../backend/backend";
import type { Mark } from "../boards/board";
import { many, number, phrase, say } from "../words";
import { blunder, clear, inaccuracy, mistake } from "../wire";
import { levels, ratingsOf } from "./levels";

/** Returns the Elo of a model at a level, if it was measured. The random player has 0. */
export function eloOf(game: string, model: Model | undefined, level: number): number | undefined {
	const rated = ratingsOf(game);
	return rated && model?.about?.includes(rated.model) ? rated.elo[level] : undefined;
}

/**
 * nextLevel returns the level after a game, and the streak: the number of games won in a row, or
 * minus the number of games lost in a row. Three wins or losses in a row change the level.
 */
export function nextLevel(level: number, row: number, won: boolean): { level: number; row: number } {
	row = won ? Math.max(0, row) + 1 : Math.min(0, row) - 1;
	return Math.abs(row) < 3 ? { level, row }
		: { level: Math.max(0, Math.min(levels.length - 1, level + Math.sign(row))), row: 0 };
}

export const players: Player[] = ["first", "second"];

/** The result of a search of a position. */
export interface Finding {
	value: number;
	visits: number;
	best?: Move;
	second?: number; // value of the best of the other moves that were searched
}

/** Results of searches, by position. */
export type Findings = Map<string, Finding>;

/** Returns a summary of the analysis of a position. */
export function findingOf(p: Position, a: Analysis): Finding {
	const sign = p.to_move === "first" ? 1 : -1;
	const others = a.moves.slice(1).filter((m) => m.visits > 0 || m.proven).map((m) => sign * valueOf(m));
	return { value: a.value, visits: a.visits, best: a.moves[0],
		second: others.length ? sign * Math.max(...others) : undefined };
}

/**
 * Returns whether one move is clearly the best for a player: the others are much worse, or only it
 * is proven to win.
 */
export function isClear({ best, second }: Finding, player: Player): boolean {
	const sign = player === "first" ? 1 : -1;
	return !!best &&
		(best.proven === player ? second !== sign : second !== undefined && sign * (valueOf(best) - second) >= clear);
}

// valueOf returns the value of a move. If the outcome of the move is proven, the value is exact.
const valueOf = (m: Move) => outcomeValue({ outcome: m.proven }) ?? m.value;

/** chosen returns the move that a bot of a given level plays after a search. */
export function chosen(a: Analysis, p: Position, level: number): string {
	return Math.random() < levels[level].random ? p.legal[Math.floor(Math.random() * p.legal.length)] : a.moves[0].move;
}

/** A task: to find the best move in a position. */
export interface Task {
	best: string;
	line: string[]; // the best line, including the best move
	value: number; // value of the best line, for the player First
	played?: string; // mistake that was played in the game
}

/**
 * The grade of a bad move. It depends on how much of the value (whose range is 2) the move loses.
 * Package analysis uses the same limits.
 */
export type Grade = "" | "inaccuracy" | "mistake" | "blunder";

export function gradeOf(loss: number): Grade {
	return loss >= blunder ? "blunder" : loss >= mistake ? "mistake" : loss >= inaccuracy ? "inaccuracy" : "";
}

export const gradeNames: Record<Grade, string> = { "": "", inaccuracy: phrase("inaccuracy"), mistake: phrase("mistake"),
	blunder: phrase("blunder") };

export function countOf(grade: Exclude<Grade, "">, n: number): string {
	return grade === "inaccuracy" ? many(n, "{0} inaccuracy", "{0} inaccuracies")
		: grade === "mistake" ? many(n, "{0} mistake", "{0} mistakes") : many(n, "{0} blunder", "{0} blunders");
}

export const signs: Record<Grade, string> = { "": "", inaccuracy: "?!", mistake: "?", blunder: "??" };

export function outcomeValue(p: { outcome?: Outcome }): number | undefined {
	return p.outcome === "first" ? 1 : p.outcome === "second" ? -1 : p.outcome === "draw" ? 0 : undefined;
}

/** Converts a value to a player's winning chance, from 0 to 1. A draw counts half. */
export const chanceOf = (value: number, player: Player) => (1 + (player === "first" ? value : -value)) / 2;

/**
 * Returns how much value a move lost for its player, if the values before and after the move are
 * known.
 */
function lossAfter(before: Position, after: Position, found: Findings): number | undefined {
	const value = (p: Position) => outcomeValue(p) ?? found.get(p.position)?.value;
	const best = found.get(before.position)?.best;
	const could = best && best.visits > 0 ? best.value : value(before), did = value(after);
	if (could === undefined || did === undefined) return undefined;
	return best?.move === after.move ? 0 : Math.max(0, (before.to_move === "first" ? 1 : -1) * (could - did));
}

/** Returns the grade of the move from one position to the next, or "" if a value is unknown. */
export function gradeAfter(before: Position, after: Position, found: Findings): Grade {
	return gradeOf(lossAfter(before, after, found) ?? 0);
}

/**
 * Returns the accuracy of a player's moves in per cent, once all of them have been searched. It is
 * the mean of the accuracies of the moves by lichess.org's formula, which depends on the loss of
 * winning chance (https://lichess.org/page/accuracy).
 */
export function accuracyOf(player: Player, positions: Position[], found: Findings): number | undefined {
	const each = positions.slice(1).flatMap((p, i) => {
		if (positions[i].to_move !== player) return [];
		// The loss is in percentage points of the winning chance.
		const loss = 50 * (lossAfter(positions[i], p, found) ?? NaN);
		return [Math.min(100, 103.1668 * Math.exp(-0.04354 * loss) - 3.1669)];
	});
	const mean = each.reduce((sum, a) => sum + a, 0) / each.length;
	return Number.isNaN(mean) ? undefined : Math.max(0, mean);
}

/** Returns the indices of the positions before a player's mistakes, of any grade. */
export function mistakesOf(positions: Position[], found: Findings, player: Player): number[] {
	return grades(positions, found).flatMap((g, i) => (g && positions[i - 1].to_move === player ? [i - 1] : []));
}

/**
 * Returns the task of finding a better move than the played one, if a search has found the best
 * move of the position.
 */
export function taskOf(before: Position, after: Position | undefined, found: Findings): Task | undefined {
	const best = found.get(before.position)?.best;
	return best && { best: best.move, line: best.line, value: best.value, played: after?.move };
}

/** Returns how much a search prefers a move: its share of the visits. A proven best move gets 1. */
export const shareOf = (a: Analysis,
	m: Move) => (m.proven && m.move === a.moves[0].move ? 1
		: m.visits / Math.max(1, a.moves.reduce((n, m) => n + m.visits, 0)));

/**
 * Converts the best moves of a search to marks on the board. The marks show the winning chances of
 * the player reader.
 */
export function marksOf(a: Analysis, reader: Player): Mark[] {
	const short = (n: number) => (n < 1000 ? number(n) : `${number(n / 1000, n < 10_000 ? 1 : 0)}k`);
	return a.moves.slice(0, 6).map((m, i) => ({ action: m.move, weight: shareOf(a, m), best: i === 0,
		figures: [`${Math.round(100 * chanceOf(m.value, reader))} %`, m.visits > 0 ? short(m.visits) : ""] })
	);
}

/** Returns the grade of the move that led to each position. */
export function grades(positions: Position[], found: Findings): Grade[] {
	return positions.map((p, i) => (i === 0 ? "" : gradeAfter(positions[i - 1], p, found)));
}

const toldNames: Record<Grade, string> = { "": "",
	inaccuracy: phrase("Inaccuracy (?!). Best move: {0}. Choose Undo to take your move back."),
	mistake: phrase("Mistake (?). Best move: {0}. Choose Undo to take your move back."),
	blunder: phrase("Blunder (??). Best move: {0}. Choose Undo to take your move back.") };

/**
 * toldOf comments on the last move of a human, once it has been evaluated. For a good move it
 * returns "".
 */
export function toldOf(positions: Position[], person: (p: Player) => boolean, found: Findings,
	name: (before: Position, move: string) => string): string
{
	const after = positions.findLastIndex((_, i) => i > 0 && person(positions[i - 1].to_move));
	if (after < 0) return "";
	const before = positions[after - 1], grade = gradeAfter(before, positions[after], found);
	const best = found.get(before.position)?.best;
	return grade && say(toldNames[grade], best ? name(before, best.move) : "–");
}
