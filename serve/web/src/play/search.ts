// What searches say of positions and of the moves that were played.
import type { Analysis, Model, Move, Outcome, Player, Position } from "../backend/backend";
import type { Mark } from "../boards/board";
import { many, number, phrase, say } from "../words";
import { blunder, clear, inaccuracy, mistake } from "../wire";
import { levels, ratingsOf } from "./levels";

/** The rating of a level of a model in Elo, where that was measured; random play has 0. */
export function eloOf(game: string, model: Model | undefined, level: number): number | undefined {
	const rated = ratingsOf(game);
	return rated && model?.about?.includes(rated.model) ? rated.elo[level] : undefined;
}

/**
 * nextLevel is the level after a game, and the row of results with it: won counts games won in a
 * row, as a negative number games lost in a row. Three move the level.
 */
export function nextLevel(level: number, row: number, won: boolean): { level: number; row: number } {
	row = won ? Math.max(0, row) + 1 : Math.min(0, row) - 1;
	return Math.abs(row) < 3 ? { level, row }
		: { level: Math.max(0, Math.min(levels.length - 1, level + Math.sign(row))), row: 0 };
}

export const players: Player[] = ["first", "second"];

/** What a search found of a position. */
export interface Finding {
	value: number;
	visits: number;
	best?: Move;
	second?: number; // the value of the best other move that the search knows
}

/** What searches have found, by position. */
export type Findings = Map<string, Finding>;

/** What an analysis of a position comes to. */
export function findingOf(p: Position, a: Analysis): Finding {
	const sign = p.to_move === "first" ? 1 : -1;
	const others = a.moves.slice(1).filter((m) => m.visits > 0 || m.proven).map((m) => sign * valueOf(m));
	return { value: a.value, visits: a.visits, best: a.moves[0],
		second: others.length ? sign * Math.max(...others) : undefined };
}

/** Whether one move of a player is clearly the best: the others are much worse, or it alone is proven to win. */
export function isClear({ best, second }: Finding, player: Player): boolean {
	const sign = player === "first" ? 1 : -1;
	return !!best &&
		(best.proven === player ? second !== sign : second !== undefined && sign * (valueOf(best) - second) >= clear);
}

// valueOf is the value of a move, exact if it is proven.
const valueOf = (m: Move) => outcomeValue({ outcome: m.proven }) ?? m.value;

/** chosen is the move that a level plays after a search. */
export function chosen(a: Analysis, p: Position, level: number): string {
	return Math.random() < levels[level].random ? p.legal[Math.floor(Math.random() * p.legal.length)] : a.moves[0].move;
}

/** The best move of a position, to be found. */
export interface Task {
	best: string;
	line: string[]; // the best play, best included
	value: number; // with the best play, from First's side
	played?: string; // the mistake
}

/** How bad a move was, by how much of the value (out of 2) its player lost: as package analysis judges it. */
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

/** A value as the chance to win, out of 1, of a player. A draw counts half. */
export const chanceOf = (value: number, player: Player) => (1 + (player === "first" ? value : -value)) / 2;

/** How much of the value a move lost for its player, where the values before and after it are known. */
function lossAfter(before: Position, after: Position, found: Findings): number | undefined {
	const value = (p: Position) => outcomeValue(p) ?? found.get(p.position)?.value;
	const best = found.get(before.position)?.best;
	const could = best && best.visits > 0 ? best.value : value(before), did = value(after);
	if (could === undefined || did === undefined) return undefined;
	return best?.move === after.move ? 0 : Math.max(0, (before.to_move === "first" ? 1 : -1) * (could - did));
}

/** The grade of the move that led from one position to the next, where both values are known. */
export function gradeAfter(before: Position, after: Position, found: Findings): Grade {
	return gradeOf(lossAfter(before, after, found) ?? 0);
}

/**
 * The accuracy of a player's moves, in per cent, once all of them are judged: the mean of what
 * lichess.org gives a move for its loss of winning chance (https://lichess.org/page/accuracy).
 */
export function accuracyOf(player: Player, positions: Position[], found: Findings): number | undefined {
	const each = positions.slice(1).flatMap((p, i) => {
		if (positions[i].to_move !== player) return [];
		const loss = 50 * (lossAfter(positions[i], p, found) ?? NaN); // points of the chance
		return [Math.min(100, 103.1668 * Math.exp(-0.04354 * loss) - 3.1669)];
	});
	const mean = each.reduce((sum, a) => sum + a, 0) / each.length;
	return Number.isNaN(mean) ? undefined : Math.max(0, mean);
}

/** The positions before the mistakes of a player, of any grade. */
export function mistakesOf(positions: Position[], found: Findings, player: Player): number[] {
	return grades(positions, found).flatMap((g, i) => (g && positions[i - 1].to_move === player ? [i - 1] : []));
}

/** What there is to find in a position, where a search has found it: a better move than the one that was played. */
export function taskOf(before: Position, after: Position | undefined, found: Findings): Task | undefined {
	const best = found.get(before.position)?.best;
	return best && { best: best.move, line: best.line, value: best.value, played: after?.move };
}

/** How much a search likes a move: its share of the visits. A best move that is proven needs none. */
export const shareOf = (a: Analysis,
	m: Move) => (m.proven && m.move === a.moves[0].move ? 1
		: m.visits / Math.max(1, a.moves.reduce((n, m) => n + m.visits, 0)));

/** The moves that a search likes as marks of a board, with their chances for the reader. */
export function marksOf(a: Analysis, reader: Player): Mark[] {
	const short = (n: number) => (n < 1000 ? number(n) : `${number(n / 1000, n < 10_000 ? 1 : 0)}k`);
	return a.moves.slice(0, 6).map((m, i) => ({ action: m.move, weight: shareOf(a, m), best: i === 0,
		figures: [`${Math.round(100 * chanceOf(m.value, reader))} %`, m.visits > 0 ? short(m.visits) : ""] })
	);
}

/** Grades of the moves that led to each position. */
export function grades(positions: Position[], found: Findings): Grade[] {
	return positions.map((p, i) => (i === 0 ? "" : gradeAfter(positions[i - 1], p, found)));
}

const toldNames: Record<Grade, string> = { "": "",
	inaccuracy: phrase("That was inaccurate (?!). Better: {0}. Undo takes it back."),
	mistake: phrase("That was a mistake (?). Better: {0}. Undo takes it back."),
	blunder: phrase("That was a blunder (??). Better: {0}. Undo takes it back.") };

/** toldOf judges the last move of a person, once the bot has looked at it: nothing if it was good. */
export function toldOf(positions: Position[], person: (p: Player) => boolean, found: Findings,
	name: (before: Position, move: string) => string): string
{
	const after = positions.findLastIndex((_, i) => i > 0 && person(positions[i - 1].to_move));
	if (after < 0) return "";
	const before = positions[after - 1], grade = gradeAfter(before, positions[after], found);
	const best = found.get(before.position)?.best;
	return grade && say(toldNames[grade], best ? name(before, best.move) : "–");
}
