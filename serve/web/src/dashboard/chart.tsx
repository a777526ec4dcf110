// A chart of the dashboard: its title, the values under the pointer, and the curves.
import { useMemo, useState } from "preact/hooks";
import { say } from "../words";
import { dashed, tableOf, valueAt, type Common, type Series, type Shown, type Table } from "./data";
import { format, placed, unitOf, type Chart, type Line } from "./metrics";
import { Plot } from "./plot";
import type { View } from "./view";

const mostKeys = 10; // largest number of entries in the legend

export function ChartPanel({ chart, common, height }: { chart: Chart; common: Common; height?: number }) {
	const { runs, x, view, hover: place, onHover } = common;
	const table = useMemo(() => tableOf(chart, runs, view.axis, x, view.smooth), [
		chart,
		runs,
		view.axis,
		view.smooth,
		x,
	]);
	const [focused, setFocused] = useState(false);
	if (!table.series.length) return null;
	const last = x.length - 1;
	const keys = (e: KeyboardEvent) => {
		const at = place ?? last;
		const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[e.key];
		if (e.key === "Escape") onHover(null);
		if (e.key === "Enter") chooseAt(table, common, at);
		if (e.key === "+" || e.key === "-") {
			common.onZoom(zoomed(view.zoom ?? [x[0], x[last]], x, e.key === "+" ? 0.5 : 2, x[at]));
		}
		if (to === undefined) return;
		e.preventDefault();
		onHover(Math.max(0, Math.min(last, to)));
	};
	return <section class="chart panel" aria-labelledby={`title-${chart.id}`}>
		<div class="head">
			<h3 id={`title-${chart.id}`}>{say(chart.title)}{chart.unit && <small>{unitOf(chart)}</small>}</h3>
			<About chart={chart} />
			<span class="dim at">{place === null ? say("latest") : placed(view.axis, x[place])}</span>
		</div>
		<Values chart={chart} table={table} view={view} place={place} live={focused} many={runs.length > 1} />
		<div class="plot" tabIndex={0} role="group"
			aria-label={say(
				"Chart: {0}. The left and right arrow keys show values, Enter opens a generation, + and − " + "zoom.",
				say(chart.title),
			)} onKeyDown={keys} onFocus={() => setFocused(true)} onBlur={() => (setFocused(false), onHover(null))}>
			<Plot chart={chart} table={table} common={common} height={height ?? 200} />
		</div>
	</section>;
}

// About shows an explanation of the chart when the user opens it.
function About({ chart }: { chart: Chart }) {
	return <details class="about" onKeyDown={(e) => e.key === "Escape" && e.currentTarget.removeAttribute("open")}>
		<summary aria-label={say("About this chart: {0}", say(chart.title))}>?</summary>
		<p class="panel">{say(chart.about)}</p>
	</details>;
}

/**
 * Enlarges or shrinks a range of the axis by a factor, around a value. Returns undefined if the new
 * range would cover the whole axis.
 */
export function zoomed([low, high]: [number, number], x: number[], factor: number, around: number): [number, number]
	| undefined
{
	const a = Math.max(x[0], around - factor * (around - low)),
		b = Math.min(x[x.length - 1], around + factor * (high - around));
	return a <= x[0] && b >= x[x.length - 1] ? undefined : [a, b];
}

// chooseAt chooses the generation at index i of the horizontal axis, in the first run that has a
// value there.
function chooseAt(table: Table, common: Common, i: number) {
	for (const s of table.series) {
		const at = valueAt(s, i, common.view.axis);
		if (at === null || s.generations[at] === undefined) continue;
		return common.onChoose(s.shown.run.run, s.generations[at]);
	}
}

// Values shows the values under the pointer. If there is no pointer, it shows the newest value of
// each run. It is also the legend. If there are many runs, it lists only the highest values.
function Values(
	{ chart, table, view, place, live, many }: { chart: Chart; table: Table; view: View; place: number | null;
		live: boolean; many: boolean },
) {
	const newest = (s: Series) => s.values.findLastIndex((v) => v !== null);
	const all = table.series.map((s) => ({ s, i: place === null ? newest(s) : valueAt(s, place, view.axis) }));
	const value = ({ s, i }: { s: Series; i: number | null }) => (i === null ? -Infinity : (s.values[i] ?? -Infinity));
	const listed = all.length > mostKeys ? all.toSorted((a, b) => value(b) - value(a)).slice(0, mostKeys) : all;
	return <div class="values" aria-live={live ? "polite" : "off"}>
		{listed.map(({ s, i }) => {
			const points = place === null && s.line.points && chart.lines.length > 1;
			const interval = i !== null && s.values[i] !== null && s.low
				? ` [${format(s.low[i], chart)}, ${format(s.high![i], chart)}]` : "";
			const text = points ? "" : i === null ? "–" : format(s.values[i], chart) + interval;
			return <Key key={s.shown.run.run + s.line.name} s={s} many={many} alone={!points && chart.lines.length === 1}
				text={text} />;
		})}
		{all.length > listed.length && <span class="dim">{say("and {0} more", all.length - listed.length)}</span>}
	</div>;
}

function Key({ s, many, alone, text }: { s: Series; many: boolean; alone: boolean; text: string }) {
	const name = [many && s.shown.run.run, !(alone && many) && say(s.line.name)].filter(Boolean).join(" ");
	return <span class="key">
		<Swatch shown={s.shown} line={s.line} point={s.line.points && (s.looks.includes("full") ? "full" : "hollow")} />
		{name} {text && <b>{text}</b>}
	</span>;
}

/** Shows in the legend how a run's line or points look in the charts. */
export function Swatch({ shown, line, point }: { shown: Shown; line?: Line; point?: string }) {
	const end = shown.turn ? 35 : 21; // x where the line ends
	return <svg class={`swatch colour-${shown.colour}`} width={point && shown.turn ? end + 11 : end + 1} height="10"
		aria-hidden>
		{(!point || shown.turn > 0) &&
			(<path class={line?.stroke ?? "solid"} stroke-dasharray={dashed(shown, line?.stroke)} d={`M1 5H${end}`} />)}
		{point && <circle class={point} cx={shown.turn ? end + 5 : 11} cy="5" r="3.5" />}
	</svg>;
}
