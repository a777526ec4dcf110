// This file converts the data of runs to the columns that a chart draws.
import type { Axis, Chart, Line } from "./metrics";
import type { Run } from "./live";
import type { View } from "./view";

export interface Shown {
	run: Run;
	colour: number; // the run's colour is the CSS variable --run-N
	// turn is the number of other runs that already have this colour. It is 0 unless there are more
	// runs than colours.
	turn: number;
}

/** The values that all charts of a dashboard have in common. */
export interface Common {
	runs: Shown[];
	x: number[]; // the values of the horizontal axis
	view: View;
	hover: number | null; // index in x of the value under the pointer, for all charts
	lit?: string; // id of a highlighted run
	onHover(place: number | null): void;
	onZoom(zoom?: [number, number]): void;
	onChoose(run: string, generation: number): void;
}

type Column = (number | null)[];

/** The values of one line of a chart for one run. */
export interface Series {
	shown: Shown;
	line: Line;
	values: Column; // smoothed, if the user has chosen smoothing
	raw?: Column; // the values before smoothing
	low?: Column;
	high?: Column;
	looks: (undefined | "full" | "hollow")[]; // how each point is drawn; undefined for no marker
	generations: (number | undefined)[]; // generation of each value
}

export interface Table {
	x: number[];
	series: Series[];
}

export const colours = 8; // --run-0 to --run-7

/**
 * Assigns colours to runs. Runs share a colour only if there are more runs than colours. A run
 * keeps its colour if possible.
 */
export function coloured(runs: Run[], all: Run[]): Shown[] {
	const taken = new Map<number, number>();
	return runs.map((run) => {
		let colour = all.indexOf(run) % colours;
		if (taken.size < colours) { while (taken.has(colour)) colour = (colour + 1) % colours; }
		const turn = taken.get(colour) ?? 0;
		taken.set(colour, turn + 1);
		return { run, colour, turn };
	});
}

const dashes = { solid: [12], dashed: [5, 2, 5], dotted: [2, 2, 2, 2, 2] }, gap = 5, dot = 2; // in pixels

/**
 * Returns the dash pattern that distinguishes runs with the same colour, or undefined for the first
 * of them. The strokes alternate with gaps. The gaps are empty for the second run, contain one dot
 * for the third, and so on.
 */
export function dashed({ turn }: Shown, stroke: Line["stroke"] = "solid"): string | undefined {
	return turn === 0 ? undefined : [...dashes[stroke], ...Array(turn - 1).fill([gap, dot]).flat(), gap].join(" ");
}

/**
 * Returns the positions on the horizontal axis, which all charts share: every place where some run
 * has a value.
 */
export function places(runs: Shown[], axis: Axis): number[] {
	return [...new Set(runs.flatMap(({ run }) => axis.at(run)))].sort((a, b) => a - b);
}

export function tableOf(chart: Chart, runs: Shown[], axis: Axis, x: number[], smooth: number): Table {
	const index = new Map(x.map((value, i) => [value, i]));
	const series = runs.flatMap((shown) => {
		const at = axis.at(shown.run).map((value) => index.get(value)!);
		const column = (of: Line["value"] | undefined): Column => {
			const c: Column = x.map(() => null);
			if (of) shown.run.generations.forEach((g, i) => (c[at[i]] = of(g, shown.run) ?? null));
			return c;
		};
		const generations: Series["generations"] = [];
		shown.run.generations.forEach((g, i) => (generations[at[i]] = g.generation));
		return chart.lines.map((line): Series => {
			const looks: Series["looks"] = [];
			if (line.points) shown.run.generations.forEach((g, i) => (looks[at[i]] = line.points!(g)));
			const even = (c: Column) => (smooth && !line.points ? smoothed(c, smooth / 100) : c);
			const raw = column(line.value);
			return { shown, line, looks, generations, values: even(raw), ...(smooth > 0 && !line.points && { raw }),
				...(line.low && { low: even(column(line.low)), high: even(column(line.high)) }) };
		});
	});
	return { x, series: series.filter((s) => s.values.some((v) => v !== null)) };
}

// smoothed returns the exponential moving average with bias correction. The correction gives the
// first values their proper weight.
function smoothed(c: Column, share: number): Column {
	let sum = 0, weight = 0;
	return c.map((v) => {
		if (v === null) return null;
		sum = share * sum + (1 - share) * v;
		weight = share * weight + 1 - share;
		return sum / weight;
	});
}

/**
 * Returns the index of the value that a line has at place i. If only other runs have a value there,
 * it returns the last index before i at which the line has a value.
 */
export function valueAt(s: Series, i: number, axis: Axis): number | null {
	if (s.values[i] !== null || axis.id === "generation" || s.line.points) return i;
	if (s.values.slice(i).every((v) => v === null)) return null; // the run has not got this far yet
	for (let j = i; j >= 0; j--) if (s.values[j] !== null) return j;
	return null;
}

// Error bars that are wider than this multiple of the median width may extend beyond the axis.
const widest = 3;

/**
 * Returns the limits of the vertical axis for a range of the horizontal axis. The limits contain
 * all error bars except the widest, which early generations often have.
 */
export function limits(table: Table, chart: Chart, from: number, to: number, bands: boolean): [number, number] {
	const within = (c?: Column) =>
		(c ?? []).filter((v, i): v is number => v !== null && table.x[i] >= from && table.x[i] <= to);
	const values = table.series.flatMap((s) => within(s.values));
	if (!values.length) return [0, 1];
	const zero = chart.zero ? [0] : [];
	const least = (all: number[]) => all.reduce((a, b) => Math.min(a, b)),
		most = (all: number[]) => all.reduce((a, b) => Math.max(a, b));
	let low = least([...zero, ...values]), high = most([...zero, ...values]);
	if (bands) {
		const lows = table.series.flatMap((s) => within(s.low)), highs = table.series.flatMap((s) => within(s.high));
		const widths = lows.map((v, i) => highs[i] - v), usual = widest * widths.toSorted((a, b) =>
			a - b
		)[(widths.length - 1) >> 1];
		low = least([low, ...lows.filter((_, i) => widths[i] <= usual)]);
		high = most([high, ...highs.filter((_, i) => widths[i] <= usual)]);
	}
	const edge = 0.06 * (high - low || Math.abs(high) || 1);
	return [low === 0 && chart.zero ? 0 : low - edge, high + edge];
}
