// The curves of a chart as SVG, and how they react to the pointer.
import { useId, useState } from "preact/hooks";
import { say } from "../words";
import { dashed, limits, valueAt, type Common, type Series, type Table } from "./data";
import { quantity, type Chart, type Mark } from "./metrics";
import { scaleOf, type Scale } from "./scale";
import { useWidth } from "./width";

interface Props {
	chart: Chart;
	table: Table;
	common: Common;
	height: number;
}

const left = 50, right = 12, top = 8, bottom = 34; // margins around the curves, in pixels
const mostBands = 3; // maximum number of bands; more would hide each other
const mostDots = 30; // largest number of dots on one line
const slop = 5; // a press is a click if the pointer moves at most this many pixels

export function Plot({ chart, table, common, height }: Props) {
	const [box, width] = useWidth();
	const clip = useId();
	const [drag, setDrag] = useState<{ from: number; to: number }>(); // in pixels
	const { x, view, hover, lit } = common;
	const from = view.zoom?.[0] ?? x[0], to = view.zoom?.[1] ?? x[x.length - 1];
	const bands = table.series.filter((s) => s.low && !s.line.points).length <= mostBands;
	const logY = view.log.includes("y") && !chart.signed;
	const [low, high] = limits(table, logY ? { ...chart, zero: false } : chart, from, to, bands);
	const across = scaleOf(from, to, view.log.includes("x")), up = scaleOf(logY && low <= 0 ? 0 : low, high, logY);
	const X = (v: number) => left + across.place(v) * (width - left - right);
	const Y = (v: number) => height - bottom - up.place(v) * (height - top - bottom);
	const nearest = (px: number) => {
		const v = across.value((px - left) / (width - left - right));
		return x.reduce((best, at, i) => (at >= from && at <= to && Math.abs(at - v) < Math.abs(x[best] - v) ? i : best),
			x.findIndex((at) => at >= from));
	};
	const at = (e: { clientX: number; clientY: number; currentTarget: EventTarget | null }) => {
		const { left: l, top: t } = (e.currentTarget as Element).getBoundingClientRect();
		return { px: e.clientX - l, py: e.clientY - t };
	};
	const down = (e: PointerEvent) => {
		if (e.button !== 0) return;
		const { px } = at(e);
		setDrag({ from: px, to: px });
	};
	const move = (e: PointerEvent) => {
		const { px } = at(e);
		if (drag) setDrag({ ...drag, to: px });
		if (drag && Math.abs(px - drag.from) > slop) (e.currentTarget as Element).setPointerCapture(e.pointerId);
		common.onHover(nearest(px));
	};
	// Prevent scrolling while a finger drags. Otherwise the browser takes the next tap as a command
	// to stop scrolling.
	const hold = (e: TouchEvent) => {
		if (drag && Math.abs(drag.to - drag.from) > slop && e.cancelable) e.preventDefault();
	};
	const release = (e: PointerEvent) => {
		setDrag(undefined);
		if (!drag) return;
		const { px, py } = at(e);
		if (Math.abs(px - drag.from) <= slop) return choose(px, py);
		const [a, b] = [drag.from, px].sort((a, b) => a - b).map((p) =>
			across.value(Math.max(0, Math.min(1, (p - left) / (width - left - right))))
		);
		if (x.some((v) => v >= a && v <= b)) common.onZoom([a, b]);
	};
	// A click chooses the generation whose point is nearest.
	const choose = (px: number, py: number) => {
		const i = nearest(px);
		const near = table.series.flatMap((s) => {
			const j = valueAt(s, i, view.axis), v = j === null ? null : s.values[j];
			return v === null || j === null || s.generations[j] === undefined ? []
				: [{ s, generation: s.generations[j], away: Math.abs(Y(v) - py) }];
		});
		if (!near.length) return;
		const { s, generation } = near.reduce((a, b) => (b.away < a.away ? b : a));
		common.onChoose(s.shown.run.run, generation);
	};
	return <div class="canvas" ref={box}>
		<svg width={width} height={height} role="img" aria-label={say(chart.title)} onPointerDown={down}
			onPointerMove={move} onPointerUp={release} onTouchMove={hold} onPointerLeave={() => !drag && common.onHover(null)}
			onPointerCancel={() => (setDrag(undefined), common.onHover(null))} onDblClick={() => common.onZoom()}>
			<clipPath id={clip}>
				<rect x={left - 5} y={top - 4} width={Math.max(0, width - left - right + 10)}
					height={height - top - bottom + 8} />
			</clipPath>
			<Axes chart={chart} common={common} across={across} up={up} X={X} Y={Y} width={width} height={height} />
			<Marks marks={marksOf(chart, table).filter(({ at }) => low < at && at < high)} Y={Y} right={width - right}
				middle={height / 2} />
			<g clip-path={`url(#${clip})`}>
				{table.series.map((s) =>
					<Curve key={s.shown.run.run + s.line.name} s={s} x={x} from={from} to={to} X={X} Y={Y}
						band={bands || lit === s.shown.run.run} lit={lit === undefined ? undefined : lit === s.shown.run.run}
						chosen={view.point?.run === s.shown.run.run ? view.point.generation : undefined} />
				)}
				{hover !== null && x[hover] >= from && x[hover] <= to &&
					(<path class="cross" d={`M${X(x[hover])} ${top}V${height - bottom}`} />)}
				{hover !== null && table.series.map((s) => {
					const j = valueAt(s, hover, view.axis), v = j === null ? null : s.values[j];
					return j !== null && v !== null &&
						(<circle key={s.shown.run.run + s.line.name} class={`under colour-${s.shown.colour}`} cx={X(x[j])} cy={Y(v)}
							r="4.5" />);
				})}
				{drag && Math.abs(drag.to - drag.from) > slop &&
					(<rect class="drag" x={Math.min(drag.from, drag.to)} y={top} width={Math.abs(drag.to - drag.from)}
						height={height - top - bottom} />)}
			</g>
		</svg>
	</div>;
}

type Place = (v: number) => number; // pixel coordinate of a value

function Axes(
	{ chart, common, across, up, X, Y, width, height }: { chart: Chart; common: Common; across: Scale; up: Scale;
		X: Place; Y: Place; width: number; height: number },
) {
	const { axis, log } = common.view;
	const unit = axis.units?.find((u) => across.high >= u.from) ?? { title: axis.title, is: 1 };
	const xs = scaleOf(across.low / unit.is, across.high / unit.is, log.includes("x")).ticks(
		Math.floor((width - left) / 64),
	).filter((v) => axis.units || Number.isInteger(v));
	const ys = up.ticks(Math.floor(height / 38));
	return <g class="axes">
		{ys.map((v) =>
			<g key={v}>
				<path class={v === 0 ? "nought" : ""} d={`M${left} ${Y(v)}H${width - right}`} />
				<text x={left - 6} y={Y(v) + 4} text-anchor="end">
					{v < 0 ? "−" : chart.signed && v > 0 ? "+" : ""}
					{ticked(Math.abs(v), ys)}
				</text>
			</g>
		)}
		{xs.map((v) =>
			<g key={v}>
				<path d={`M${X(v * unit.is)} ${height - bottom}v4`} />
				<text x={X(v * unit.is)} y={height - bottom + 16} text-anchor="middle">{ticked(v, xs)}</text>
			</g>
		)}
		<text x={width - right} y={height - 3} text-anchor="end">{say(unit.title)}</text>
	</g>;
}

/** Returns the marks of the chart if they are the same for all its runs. */
function marksOf(chart: Chart, table: Table): Mark[] {
	const all = table.series.map((s) => JSON.stringify(chart.marks?.(s.shown.run) ?? []));
	return all.length && all.every((m) => m === all[0]) ? JSON.parse(all[0]) : [];
}

const between = 14; // smallest distance in pixels between two marks with names

// Marks draws horizontal marks with their names. Names are on the left in the upper half and on the
// right in the lower half, so that a rising curve does not cover them.
function Marks({ marks, Y, right, middle }: { marks: Mark[]; Y: Place; right: number; middle: number }) {
	const told = marks.toSorted((a, b) => b.at - a.at).reduce<Mark[]>(
		(all, m) => (all.length && Y(m.at) - Y(all[all.length - 1].at) < between ? all : [...all, m]),
		[],
	);
	return <g class="marks">
		{told.map(({ player, at }) =>
			<g key={player}>
				<path d={`M${left} ${Y(at)}H${right}`} />
				<text x={Y(at) < middle ? left + 3 : right} y={Y(at) - 3} text-anchor={Y(at) < middle ? "start" : "end"}>
					{player}
				</text>
			</g>
		)}
	</g>;
}

// ticked formats the value v of a tick. It writes as many digits as needed to distinguish all ticks
// of the axis.
function ticked(v: number, all: number[]): string {
	const digits =
		[0, 1, 2, 3, 4, 5].find((d) => all.every((x) => Math.abs(x * 10 ** d - Math.round(x * 10 ** d)) < 1e-6)) ?? 6;
	return quantity(v, v >= 9_995 ? 0 : digits);
}

interface CurveProps {
	s: Series;
	x: number[];
	from: number;
	to: number;
	X: Place;
	Y: Place;
	band: boolean; // whether its interval is drawn
	// lit is true if this curve is highlighted, false if another curve is, and undefined if none
	// is.
	lit?: boolean;
	chosen?: number; // the chosen generation of the run
}

function Curve({ s, x, from, to, X, Y, band, lit, chosen }: CurveProps) {
	const there = x.flatMap((_, i) => (s.values[i] === null ? [] : [i]));
	// Draw the points in the visible range, and one more point on either side.
	const first = there.findIndex((i) => x[i] >= from), last = there.findLastIndex((i) => x[i] <= to);
	const shown = first < 0 || last < 0 ? [] : there.slice(Math.max(0, first - 1), last + 2);
	const inside = shown.filter((i) => x[i] >= from && x[i] <= to);
	// line returns a path through some values, from left to right. The path ends at the limits of
	// the visible range.
	const line = (of: (number | null)[], all: number[], back = false) => {
		const points = all.map((i) => [X(x[i]), Y(of[i]!)]);
		const cut = points.map(([px, py], n) => {
			const end = Math.max(X(from), Math.min(X(to), px)), [qx, qy] = points[n + Math.sign(end - px)] ?? [px, py];
			return px === end ? [px, py] : [end, Number.isFinite(px) ? py + ((qy - py) * (end - px)) / (qx - px) : qy];
		});
		return (back ? cut.reverse() : cut).map((p, n) => `${n ? "L" : "M"}${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("");
	};
	const { low, high } = s, banded = low && high && shown.filter((i) => low[i] !== null && high[i] !== null);
	const mark = inside.find((i) => s.generations[i] === chosen);
	return <g class={`curve colour-${s.shown.colour}${lit === true ? " lit" : lit === false ? " faint" : ""}`}>
		{banded && s.line.points && banded.filter((i) =>
			inside.includes(i)
		).map((i) =>
			<path key={i} class="whisker" stroke-dasharray={dashed(s.shown)} d={`M${X(x[i])} ${Y(low[i]!)}V${Y(high[i]!)}`} />
		)}
		{banded && !s.line.points && band && banded.length > 1 &&
			(<path class="band" d={`${line(high, banded)}${line(low, banded, true).replace("M", "L")}Z`} />)}
		{s.raw && <path class="raw" d={line(s.raw, shown)} />}
		{!s.line.points &&
			(<path class={s.line.stroke ?? "solid"} stroke-dasharray={dashed(s.shown, s.line.stroke)}
				d={line(s.values, shown)} />)}
		{(s.line.points || !s.raw && inside.length <= mostDots) && inside.map((i) =>
			<circle key={i} class={s.line.points ? s.looks[i] : "full"} cx={X(x[i])} cy={Y(s.values[i]!)}
				r={s.line.points ? 3.5 : 2.6} />
		)}
		{mark !== undefined && <circle class="chosen" cx={X(x[mark])} cy={Y(s.values[mark]!)} r="7.5" />}
	</g>;
}
