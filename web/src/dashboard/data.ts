// Runs as the columns that a chart draws.
import { axes, type Axis, type Chart, type Line } from "./metrics";
import type { Run } from "./live";

export interface Shown {
  run: Run;
  colour: number; // of --run-N
}

type Column = (number | null)[];

/** One line of one run. */
export interface Series {
  shown: Shown;
  line: Line;
  values: Column;
  low?: Column;
  high?: Column;
  looks: (undefined | "full" | "hollow")[]; // of points
}

export interface Table {
  x: number[];
  series: Series[];
}

/** The columns of all charts' horizontal axis: every place where some run has a value. */
export function places(runs: Shown[], axis: Axis): number[] {
  return [...new Set(runs.flatMap(({ run }) => axis.at(run)))].sort((a, b) => a - b);
}

export function tableOf(chart: Chart, runs: Shown[], axis: Axis, x: number[]): Table {
  const index = new Map(x.map((value, i) => [value, i]));
  const series = runs.flatMap((shown) => {
    const at = axis.at(shown.run).map((value) => index.get(value)!);
    const column = (of: Line["value"] | undefined): Column => {
      const c: Column = x.map(() => null);
      if (of) shown.run.generations.forEach((g, i) => (c[at[i]] = of(g, shown.run) ?? null));
      return c;
    };
    return chart.lines.map((line): Series => {
      const looks: Series["looks"] = [];
      if (line.points) shown.run.generations.forEach((g, i) => (looks[at[i]] = line.points!(g)));
      return { shown, line, values: column(line.value), looks, ...(line.low && { low: column(line.low), high: column(line.high) }) };
    });
  });
  return { x, series: series.filter((s) => s.values.some((v) => v !== null)) };
}

/** Where a line has its value for place i: there or, where runs are not in step, at the last place before. */
export function valueAt(s: Series, i: number, axis: Axis): number | null {
  if (s.values[i] !== null || axis === axes[0] || s.line.points) return i;
  if (s.values.slice(i).every((v) => v === null)) return null; // the run has not come so far
  for (let j = i; j >= 0; j--) if (s.values[j] !== null) return j;
  return null;
}

/** The limits of the vertical axis. Intervals are cut off where they would dwarf the values. */
export function limits(table: Table, chart: Chart): [number, number] {
  const values = table.series.flatMap((s) => s.values.filter((v) => v !== null));
  if (!values.length) return [0, 1];
  let low = Math.min(...values, ...(chart.zero ? [0] : []));
  let high = Math.max(...values, ...(chart.zero ? [0] : []));
  const room = 0.6 * Math.max(high - low, chart.signed ? 100 : 0);
  const lows = table.series.flatMap((s) => s.low?.filter((v) => v !== null) ?? []);
  const highs = table.series.flatMap((s) => s.high?.filter((v) => v !== null) ?? []);
  low = Math.max(Math.min(low, ...lows), low - room);
  high = Math.min(Math.max(high, ...highs), high + room);
  const edge = 0.06 * (high - low || Math.abs(high) || 1);
  return [low === 0 && chart.zero ? 0 : low - edge, high + edge];
}
