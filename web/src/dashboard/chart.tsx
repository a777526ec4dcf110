// One chart of the dashboard: title, values under the pointer, and the lines.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { limits, tableOf, valueAt, type Series, type Shown, type Table } from "./data";
import { language, number, say } from "../words";
import { format, quantity, unitOf, type Axis, type Chart } from "./metrics";

interface Props {
  chart: Chart;
  runs: Shown[];
  axis: Axis;
  x: number[]; // the places of the axis, the same for all charts
  hover: number | null; // a place under the pointer, in whichever chart
  onHover(place: number | null): void;
}

export function ChartPanel({ chart, runs, axis, x, hover: place, onHover }: Props) {
  const table = useMemo(() => tableOf(chart, runs, axis, x), [chart, runs, axis, x]);
  const [focused, setFocused] = useState(false);
  if (!table.series.length) return null;
  const last = x.length - 1;
  const step = (e: KeyboardEvent) => {
    const at = place ?? last;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[e.key];
    if (e.key === "Escape") onHover(null);
    if (to === undefined) return;
    e.preventDefault();
    onHover(Math.max(0, Math.min(last, to)));
  };
  return (
    <section class="chart panel" aria-labelledby={`title-${chart.id}`}>
      <div class="head">
        <h3 id={`title-${chart.id}`}>{say(chart.title)}{chart.unit && <small>{unitOf(chart)}</small>}</h3>
        <span class="dim">{place === null ? say("newest") : `${say(axis.title)} ${axis.id === "minutes" ? number(x[place], 1) : quantity(x[place], 0)}`}</span>
      </div>
      <p class="about">{say(chart.about)}</p>
      <Values chart={chart} table={table} axis={axis} place={place} live={focused} many={runs.length > 1} />
      <div
        class="plot" tabIndex={0} role="group" aria-label={say("Curves: {0}. Left and right arrow keys read the values.", say(chart.title))}
        onKeyDown={step} onFocus={() => setFocused(true)} onBlur={() => (setFocused(false), onHover(null))}
      >
        <Plot chart={chart} table={table} axis={axis} hover={place} onHover={onHover} />
      </div>
    </section>
  );
}

// The values at a place, or the newest of each run; they are the legend too.
function Values({ chart, table, axis, place, live, many }: { chart: Chart; table: Table; axis: Axis; place: number | null; live: boolean; many: boolean }) {
  const newest = (s: Series) => s.values.findLastIndex((v) => v !== null);
  return (
    <div class="values" aria-live={live ? "polite" : "off"}>
      {table.series.map((s) => {
        const i = place === null ? newest(s) : valueAt(s, place, axis);
        if (place === null && s.line.points && chart.lines.length > 1) return <Key key={s.shown.run.run + s.line.name} s={s} many={many} alone={false} text="" />;
        const interval = i !== null && s.values[i] !== null && s.low ? ` [${format(s.low[i], chart)}, ${format(s.high![i], chart)}]` : "";
        const text = i === null ? "–" : format(s.values[i], chart) + interval;
        return <Key key={s.shown.run.run + s.line.name} s={s} many={many} alone={chart.lines.length === 1} text={text} />;
      })}
    </div>
  );
}

function Key({ s, many, alone, text }: { s: Series; many: boolean; alone: boolean; text: string }) {
  const name = [many && s.shown.run.run, !(alone && many) && say(s.line.name)].filter(Boolean).join(" ");
  return (
    <span class="key">
      <svg class={`swatch colour-${s.shown.colour}`} viewBox="0 0 22 10" aria-hidden="true">
        {s.line.points ? <circle class={s.looks.includes("full") ? "full" : "hollow"} cx="11" cy="5" r="3.5" /> : <path class={s.line.stroke ?? "solid"} d="M1 5H21" />}
      </svg>
      {name} {text && <b>{text}</b>}
    </span>
  );
}

function Plot({ chart, table, axis, hover, onHover }: { chart: Chart; table: Table; axis: Axis; hover: number | null; onHover(i: number | null): void }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const state = useRef({ table, chart, onHover });
  state.current = { table, chart, onHover };
  const theme = useTheme();
  // A plot is made anew when its lines are others; new values are set.
  const shape = theme + language() + axis.id + table.series.map((s) => `${s.shown.run.run}/${s.shown.colour}/${s.line.name}`).join();
  useEffect(() => {
    const place = box.current!;
    const u = new uPlot(options(state, axis, place), columns(table), place);
    plot.current = u;
    const watch = new ResizeObserver(() => u.setSize({ width: place.clientWidth, height }));
    watch.observe(place);
    return () => (watch.disconnect(), u.destroy());
  }, [shape]);
  useEffect(() => plot.current!.setData(columns(table)), [table]);
  useEffect(() => {
    const u = plot.current!;
    if ((u.cursor.idx ?? null) === hover && (hover === null || u.cursor.left! >= 0)) return;
    u.setCursor(hover === null ? { left: -10, top: -10 } : { left: u.valToPos(table.x[hover], "x"), top: 10 }, false);
  }, [hover, shape]);
  return <div class="canvas" ref={box} />;
}

const height = 200;

// The values of a line that are marked: those that stand alone, if they are few. A single
// value would not be seen otherwise.
const marked: uPlot.Series.Points.Filter = (u, i) => {
  const there = (n: number) => u.data[i][n] != null;
  const alone = Array.from(u.data[i], (_, n) => n).filter((n) => there(n) && !there(n - 1) && !there(n + 1));
  return alone.length <= 20 ? alone : null;
};

// The columns that uPlot is given: x, and for each line its values, and its interval.
function columns(table: Table): uPlot.AlignedData {
  return [table.x, ...table.series.flatMap((s) => (s.low ? [s.values, s.low, s.high!] : [s.values]))] as uPlot.AlignedData;
}

type State = { current: { table: Table; chart: Chart; onHover(i: number | null): void } };

function options(state: State, axis: Axis, box: HTMLElement): uPlot.Options {
  const { table, chart } = state.current;
  const css = getComputedStyle(box);
  const token = (name: string) => css.getPropertyValue(name).trim();
  const font = `12px ${token("--font")}`;
  const nothing = { paths: () => null, points: { show: false } };
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const s of table.series) {
    const stroke = token(`--run-${s.shown.colour}`);
    const dash = { solid: undefined, dashed: [7, 4], dotted: [2, 3] }[s.line.stroke ?? "solid"];
    series.push(s.line.points ? { ...nothing, stroke } : { stroke, width: 2, dash, spanGaps: true, points: { size: 5, fill: stroke, filter: marked } });
    if (!s.low) continue;
    if (!s.line.points) bands.push({ series: [series.length + 1, series.length], fill: `color-mix(in srgb, ${stroke} 16%, transparent)` });
    series.push({ ...nothing, spanGaps: true, paths: s.line.points ? nothing.paths : undefined }, { ...nothing, spanGaps: true, paths: s.line.points ? nothing.paths : undefined });
  }
  const lines = { stroke: token("--line"), width: 1 };
  const common = { stroke: token("--dim"), font, grid: lines, ticks: { ...lines, size: 4 } };
  return {
    width: box.clientWidth || 300, height, series, bands,
    padding: [8, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false, drag: { x: false, y: false, setScale: false },
      points: { size: (_: uPlot, i: number) => (series[i].stroke && series[i].width ? 8 : 0) },
    },
    scales: {
      x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) },
      y: { range: () => limits(state.current.table, chart) },
    },
    axes: [
      { ...common, size: 24, gap: 4, label: say(axis.title), labelFont: font, labelSize: 12, labelGap: -4, space: 48, incrs: axis.id === "minutes" ? undefined : whole, values: (_, v) => v.map((x) => (axis.id === "minutes" ? number(+x.toFixed(2)) : quantity(x, 0))) },
      { ...common, size: 52, space: 32, values: (_, v) => v.map((y) => tick(y, v, chart)) },
    ],
    hooks: {
      setCursor: [(u) => u.cursor.event && state.current.onHover(u.cursor.left! < 0 ? null : u.cursor.idx ?? null)],
      draw: [(u) => points(u, state.current.table, token)],
    },
  };
}

// Distances between ticks of an axis that counts.
const whole = [1, 2, 5].flatMap((d) => Array.from({ length: 9 }, (_, i) => d * 10 ** i)).sort((a, b) => a - b);

function tick(y: number, all: number[], chart: Chart): string {
  const step = all.length > 1 ? Math.abs(all[1] - all[0]) : Math.abs(y);
  const digits = [0, 1, 2, 3].find((d) => Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6) ?? 4;
  return (y < 0 ? "−" : chart.signed && y > 0 ? "+" : "") + quantity(Math.abs(y), digits);
}

// points draws what has no line: points with whiskers.
function points(u: uPlot, table: Table, token: (name: string) => string) {
  const { ctx } = u;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left - 6 * scale, u.bbox.top, u.bbox.width + 12 * scale, u.bbox.height);
  ctx.clip();
  for (const s of table.series.filter((s) => s.line.points)) {
    ctx.strokeStyle = token(`--run-${s.shown.colour}`);
    s.values.forEach((v, i) => {
      if (v === null) return;
      const x = u.valToPos(table.x[i], "x", true), y = u.valToPos(v, "y", true);
      if (s.low) {
        ctx.globalAlpha = 0.45;
        ctx.lineWidth = 1.5 * scale;
        ctx.beginPath();
        ctx.moveTo(x, u.valToPos(s.low[i]!, "y", true));
        ctx.lineTo(x, u.valToPos(s.high![i]!, "y", true));
        ctx.stroke();
        ctx.globalAlpha = 1;
      }
      ctx.fillStyle = s.looks[i] === "full" ? ctx.strokeStyle : token("--surface");
      ctx.lineWidth = 1.75 * scale;
      ctx.beginPath();
      ctx.arc(x, y, 3.5 * scale, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    });
  }
  ctx.restore();
}

// useTheme is a text that changes when the colours do.
function useTheme(): string {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const now = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  const [theme, setTheme] = useState(now);
  useEffect(() => {
    const changed = () => setTheme(now());
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", changed);
    return () => (observer.disconnect(), dark.removeEventListener("change", changed));
  }, []);
  return theme;
}
