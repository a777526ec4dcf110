// The charts of the dashboard. Each entry describes one chart and its curves. A chart draws all of
// its curves for every visible run.
import { ratingsOf } from "../play/levels";
import { number, phrase, say } from "../words";
import type { Generation, Run } from "./live";

/** Computes one figure of a generation, such as a loss. null or undefined means unknown. */
export type Value = (g: Generation, run: Run) => number | null | undefined;

export interface Line {
	name: string;
	value: Value;
	stroke?: "solid" | "dashed" | "dotted"; // tells the lines of one run apart
	// low and high are the ends of an interval. It is drawn as a band, or as error bars if the line
	// consists of points.
	low?: Value;
	high?: Value;
	// If points is set, the line consists of separate points, full or hollow.
	points?: (g: Generation) => "full" | "hollow";
}

export interface Chart {
	id: string;
	title: string;
	unit: string;
	about: string; // explains the chart in a sentence or two
	lines: Line[];
	digits: number; // digits after the decimal point
	signed?: boolean;
	zero?: boolean; // whether the axis includes 0
	marks?(run: Run): Mark[];
}

/** A player with a fixed rating, drawn as a line at `at`. `player` is its name in "dojo match". */
export interface Mark {
	player: string;
	at: number;
}

const positive = (x: number | undefined) => (x !== undefined && x > 0 ? x : null);

// share returns the share of solved positions in per cent. If side is -1 or 1, it returns the lower
// or upper end of the 95 % confidence interval (Wilson 1927).
function share(g: Generation, run: Run, side = 0): number | null {
	const s = run.solved?.find((s) => s.generation === g.generation);
	if (!s) return null;
	if (!side) return 100 * s.share;
	const z = 1.96, n = s.positions, p = s.share;
	return (100 * (p + (z * z) / (2 * n) + side * z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n)))) /
		(1 + (z * z) / n);
}

const rung = (g: Generation, run: Run) => run.ladder.rungs.find((r) => r.generation === g.generation);

/** Returns the name of the player whose rating in the run's ladder is 0. */
export function zero(run: Run): string {
	return run.ladder.zero === "uniform" ? say("search without a network")
		: run.ladder.zero.startsWith("box") ? say("the built-in bot") : run.ladder.zero;
}

/**
 * Returns the players that were rated together with the built-in bot, on a scale on which this bot
 * has 0 Elo; see games/box/levels.sh.
 */
function marks(run: Run): Mark[] {
	const rated = ratingsOf(run.game);
	if (!rated?.marks || run.ladder.zero !== `box ${rated.model}`) return [];
	const { [`box:${run.game}:64`]: zero, ...others } = rated.marks;
	return Object.entries(others).map(([player, elo]) => ({ player, at: elo - zero }));
}

export const charts: Chart[] = [{ id: "elo", title: phrase("Strength"), unit: "Elo", digits: 0, signed: true,
	zero: true, marks,
	about: phrase(
		"Elo of the best models of some generations, with 95 % confidence intervals. The models play " +
			"matches with 64 simulations per move against each other and against the built-in bot, whose " +
			"Elo is 0. In a game without a built-in bot, search without a network has Elo 0. These " +
			"matches select no models, so they do not inflate the ratings. Dotted lines are fixed " +
			"players, with their names in dojo match.",
	), lines: [{ name: phrase("best"), value: (g, run) =>
		rung(g, run)?.elo, low: (g, run) => rung(g, run)?.low, high: (g, run) =>
			rung(g, run)?.high }] }, { id: "gate", title: phrase("Gate"), unit: "Elo", digits: 0, signed: true, zero: true,
	about: phrase(
		"Elo difference between each candidate and the previous best model, with the 95 % confidence " +
			"interval of the match. A full point is a promoted candidate, a hollow point a rejected one.",
	), lines: [{ name: phrase("candidate"), value: (g) =>
		g.gate.elo, low: (g) =>
			g.gate.elo_low, high: (g) =>
			g.gate.elo_high, points: (g) => (g.gate.promoted ? "full" : "hollow") }] }, { id: "lead",
	title: phrase("Gate, in points"), unit: phrase("points"), digits: 1, signed: true, zero: true,
	about: phrase(
		"Average lead of the candidate over the previous best model at the end of a game, in points, " +
			"with the 95 % confidence interval. If the seat decides who wins, points still show which " +
			"model is stronger.",
	), lines: [{ name: phrase("candidate"), value: (g) =>
		g.gate.margin?.mean ?? null, low: (g) =>
			g.gate.margin?.low ?? null, high: (g) => g.gate.margin?.high ?? null,
		points: (g) => (g.gate.promoted ? "full" : "hollow") }] }, { id: "policy", title: phrase("Policy loss"),
	unit: phrase("nats"), digits: 3,
	about: phrase(
		"Cross-entropy between the network's policy and the search's policy, on the training window " +
			"and on new games before the network trains on them.",
	), lines: [{ name: phrase("training window"), value: (g) =>
		positive(g.fit.policy_loss) }, { name: phrase("new games"), value: (g) =>
			positive(g.fit.new?.policy_loss), stroke: "dashed" }] }, { id: "value", title: phrase("Value loss"),
	unit: phrase("nats"), digits: 3,
	about: phrase(
		"Cross-entropy between the network's win probability and the outcomes of games, on the " +
			"training window and on new games before the network trains on them.",
	), lines: [{ name: phrase("training window"), value: (g) =>
		positive(g.fit.value_loss) }, { name: phrase("new games"), value: (g) =>
			positive(g.fit.new?.value_loss), stroke: "dashed" }] }, { id: "margin", title: phrase("Margin loss"), unit: "",
	digits: 3, about: phrase("Huber loss of the winning margin in points, in units of the network's margin."),
	lines: [{ name: phrase("training window"), value: (g) => positive(g.fit.margin_loss) }] }, { id: "agreement",
	title: phrase("Policy agreement"), unit: "%", digits: 0,
	about: phrase(
		"How often the network's likeliest action is the search's best action, on new games before " +
			"the network trains on them. Dashed: how often a much longer search chooses the same action " +
			"as the search of self-play.",
	),
	lines: [{ name: phrase("network"), value: (g) => (g.fit.new ? 100 * g.fit.new.agreement : null) }, {
		name: phrase("longer search"),
		value: (g) => (g.fit.deep?.positions ? 100 * g.fit.deep.agreement : null),
		stroke: "dashed",
	}] }, { id: "solved", title: phrase("Solved positions"), unit: "%", digits: 1,
	about: phrase(
		"Share of positions with known value in which the candidate's move keeps that value, with " +
			"the 95 % confidence interval. The data are in solved.jsonl in the run's folder.",
	), lines: [{ name: phrase("value kept"), value: share, low: (g, run) =>
		share(g, run, -1), high: (g, run) =>
			share(g, run, 1) }] }, { id: "late", title: phrase("Late positions"), unit: "%", digits: 1, zero: true,
	about: phrase(
		"Share of self-play positions near the end of a game, where so few men, stones or turns are " +
			"left that exact play decides.",
	), lines: [{ name: phrase("late"), value: (g) => (g.late === undefined ? null : 100 * g.late) }] }, { id: "length",
	title: phrase("Game length"), unit: phrase("actions"), digits: 1, zero: true,
	about: phrase("Average number of actions in a self-play game."), lines: [{ name: phrase("mean"), value: (g) =>
		g.game_length }] }, { id: "first", title: phrase("First player's score"), unit: "%", digits: 0,
	about: phrase("Score of the first player in self-play, where a draw counts half. Dashed: share of drawn " + "games."),
	lines: [{ name: phrase("first"), value: (g) =>
		100 * (g.first_wins + g.draws / 2) }, { name: phrase("draws"), value: (g) =>
			100 * g.draws, stroke: "dashed" }] }, { id: "entropy", title: phrase("Entropy"), unit: phrase("nats"), digits: 2,
	zero: true,
	about: phrase(
		"Entropy of the search's policy, from which the network learns, and of the network's policy. " +
			"At 0 the policy has only one action.",
	), lines: [{ name: phrase("search"), value: (g) =>
		g.policy_entropy }, { name: phrase("network"), value: (g) =>
			positive(g.fit.entropy), stroke: "dashed" }] }, { id: "error", title: phrase("Value error"), unit: "", digits: 3,
	about: phrase(
		"Average distance between values and the outcomes of games, from 0 to 2: the search's values " +
			"in self-play, and the network's values in training.",
	), lines: [{ name: phrase("search"), value: (g) =>
		g.value_error }, { name: phrase("network"), value: (g) =>
			positive(g.fit.value_error), stroke: "dashed" }] }, { id: "seconds", title: phrase("Time by stage"), unit: "s",
	digits: 2, zero: true, about: phrase("Duration of each stage of a generation. The gate includes the ladder."),
	lines: [{ name: phrase("self-play"), value: (g) =>
		positive(g.selfplay_seconds) }, { name: phrase("train"), value: (g) =>
			positive(g.fit.seconds), stroke: "dashed" }, { name: phrase("gate"), value: (g) =>
			positive(g.gate.seconds + (g.ladder?.seconds ?? 0)), stroke: "dotted" }] }, { id: "speed",
	title: phrase("Self-play speed"), unit: phrase("simulations/s"), digits: 0, zero: true,
	about: phrase("Simulations per second of the process that finished the self-play stage."),
	lines: [{ name: phrase("speed"), value: (g) => positive(g.simulations_per_second) }] }];

/** What the horizontal axis of the charts counts. */
export interface Axis {
	id: string;
	title: string;
	short: string; // title in the list of axes to choose from
	// If the largest value on an axis is at least `from`, the axis counts in units of `is`.
	units?: { from: number; is: number; title: string }[];
	at(run: Run): number[]; // place of each generation on the axis, increasing
}

/** Returns how many games of self-play the run had played by the end of each generation. */
export function gamesOf(run: Run): number[] {
	let sum = 0;
	return run.generations.map((g) => (sum += g.games));
}

/**
 * Returns how many seconds the run had worked in total by the end of each generation. Stages of two
 * generations can overlap (train.lag), so each generation adds the time since the end of the
 * previous one. If the run was stopped in between, it adds the times of its own stages instead.
 */
export function worked(run: Run): number[] {
	let sum = 0;
	let begin = NaN; // start of the run, moved forward by the length of all interruptions
	return run.generations.map((g) => {
		const end = Date.parse(g.time) / 1000; // in whole seconds
		const stages = (g.selfplay_seconds ?? 0) + g.fit.seconds + g.gate.seconds + (g.ladder?.seconds ?? 0);
		const since = end - begin - sum;
		if (!(since >= -1 && since <= 2 * stages + 2)) begin = end - sum - stages;
		return (sum = Math.max(sum + 0.001, end - begin));
	});
}

export const axes: Axis[] = [{ id: "minutes", title: phrase("minutes of training"), short: phrase("Time"), at: (run) =>
	worked(run).map((seconds) => seconds / 60),
	units: [{ from: 180, is: 60, title: phrase("hours of training") }, { from: 3, is: 1,
		title: phrase("minutes of training") }, { from: 0, is: 1 / 60, title: phrase("seconds of training") }] }, {
	id: "games",
	title: phrase("games played"),
	short: phrase("Games"),
	at: (run) => gamesOf(run),
}, { id: "generation", title: phrase("generation"), short: phrase("Generations"), at: (run) =>
	run.generations.map((g) => g.generation) }];

/** Describes a value of an axis in words. */
export const placed = (axis: Axis,
	x: number) => (axis.units ? duration(60 * x) : `${say(axis.title)} ${quantity(x, 0)}`);

/** Formats a number for display. It adds the unit only if the unit is %. */
export function format(x: number | null | undefined, chart: Pick<Chart, "digits" | "signed" | "unit">): string {
	if (x === null || x === undefined || !Number.isFinite(x)) return "–";
	const text = quantity(Math.abs(x), chart.digits);
	const sign = x < 0 && Number(text.replace(/[^1-9]/g, "")) ? "−" : chart.signed && x > 0 ? "+" : "";
	return sign + text + (chart.unit === "%" ? " %" : "");
}

// quantity formats a large number in a short form, such as 12.3k.
export function quantity(x: number, digits: number): string {
	if (x >= 999_500) return `${number(x / 1e6, x < 9.995e6 ? 2 : 1)}M`;
	if (x >= 9_995) return `${number(x / 1e3, x < 99_950 ? 1 : 0)}k`;
	return number(x, digits);
}

/** Returns the unit of a chart in the language of the page, or "". */
export const unitOf = (chart: Chart) => chart.unit && say(chart.unit);

export function duration(seconds: number): string {
	const s = Math.max(0, Math.round(seconds));
	const two = (n: number) => String(n).padStart(2, "0");
	if (s < 60) return say("{0} s", s);
	if (s >= 600 && s < 3600) return say("{0} min", Math.round(s / 60));
	if (s < 600) return say("{0} min {1} s", Math.floor(s / 60), two(s % 60));
	if (s < 86400) return say("{0} h {1} min", Math.floor(s / 3600), two(Math.floor((s % 3600) / 60)));
	return say("{0} d {1} h", Math.floor(s / 86400), Math.floor((s % 86400) / 3600));
}
