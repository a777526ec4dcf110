// Parts of Patchwork's table: the time track, the circle, a patch.
import type { Position } from "../backend/backend";
import { useRef } from "preact/hooks";
import { say } from "../words";
import { useLeast, useNarrow } from "./tools";
import { clothOf, sizeOf, sketchOf, type Patch, type Sketch } from "./patches";

/** A patch with its buttons, as a drawing of its own. */
export function Shape({ patch, turn, unit }: { patch: Patch; turn: string; unit: number }) {
  const cells = patch.shapes[turn], [w, h] = sizeOf(cells);
  return <svg width={w * unit} height={h * unit} viewBox={`0 0 ${w * unit} ${h * unit}`}><Cells patch={patch} turn={turn} unit={unit} /></svg>;
}

function Cells({ patch, turn, unit }: { patch: Patch; turn: string; unit: number }) {
  const cells = patch.shapes[turn], has = new Set(cells.map(String));
  return (
    <>
      {cells.map(([x, y]) => (
        <g key={`${x},${y}`}>
          <rect class={`patch ${clothOf(patch)}`} x={x * unit} y={y * unit} width={unit} height={unit} />
          <path class="seam thin" d={[[0, -1, `M${x * unit} ${y * unit}h${unit}`], [0, 1, `M${x * unit} ${(y + 1) * unit}h${unit}`], [-1, 0, `M${x * unit} ${y * unit}v${unit}`], [1, 0, `M${(x + 1) * unit} ${y * unit}v${unit}`]]
            .map(([dx, dy, d]) => (has.has(`${x + Number(dx)},${y + Number(dy)}`) ? "" : d)).join("")} />
        </g>
      ))}
      {cells.slice(0, patch.income).map(([x, y]) => <circle key={`${x},${y}`} class="income" cx={(x + 0.5) * unit} cy={(y + 0.5) * unit} r={unit * 0.24} />)}
    </>
  );
}

const R = 250, ring = 212; // half the drawing, and where the patches lie

/** The circle of patches round the neutral token, and in its middle those on offer. */
export function Circle({ position, hand, buyable, share, take, startDrag }: {
  position: Position; hand?: { letter: string; turn: string }; buyable: Set<string>; share(letter: string): number; take?(letter: string): void; startDrag(e: PointerEvent, letter: string): void;
}) {
  const sketch = sketchOf(position), slots = sketch.circle.length + 1;
  const angle = (i: number) => (360 * i) / slots - 90;
  const offers = sketch.circle.slice(0, sketch.offers);
  const byLetter = sketch.circle.map((patch, i) => ({ patch, i })).sort((a, b) => (a.patch.letter < b.patch.letter ? -1 : 1));
  return (
    <section class="circle-side" aria-label={say("Patches")}>
      <svg class="circle" viewBox={`0 0 ${2 * R} ${2 * R}`} role="img" aria-label={say("Patches in the circle: {0}; on offer, after the token: {1}", sketch.circle.length, offers.map((p) => p.letter).join(", ") || "–")}>
        <circle class="track" cx={R} cy={R} r={ring} />
        <path class="offer-arc" d={arc(angle(0.35), angle(sketch.offers + 0.65))} />
        {byLetter.map(({ patch, i }) => {
          const unit = 7.4, [w, h] = sizeOf(patch.shapes.A);
          return (
            <g key={patch.letter} class={`glides slow ${i < sketch.offers ? "" : "later"}`} style={{ transform: `translate(${R}px,${R}px) rotate(${angle(i + 1)}deg) translate(${ring}px) rotate(${-angle(i + 1)}deg)` }}>
              <title>{about(patch)}</title>
              <g transform={`translate(${(-w * unit) / 2},${(-h * unit) / 2})`}><Cells patch={patch} turn="A" unit={unit} /></g>
            </g>
          );
        })}
        <g class="neutral" transform={`translate(${R},${R - ring})`}><title>{say("the neutral token")}</title><circle r="13" /><path d="M-5 3 0 -6 5 3Z" transform="rotate(90)" /></g>
      </svg>
      <div class="offers">
        {offers.map((patch, i) => {
          const can = take && buyable.has(patch.letter), held = hand?.letter === patch.letter, part = share(patch.letter);
          return (
            <button key={patch.letter} class={`offer ${can ? "can" : take ? "cannot" : ""} ${held ? "picked" : ""}`} data-patch={patch.letter} disabled={!can} aria-pressed={held} aria-keyshortcuts={String(i + 1)}
              onClick={() => take!(patch.letter)} onPointerDown={(e) => startDrag(e, patch.letter)}>
              <span class="hidden">{about(patch)}</span>
              <span class="offer-letter dim" aria-hidden="true">{patch.letter}</span>
              <span class="offer-shape" aria-hidden="true"><Shape patch={patch} turn={held ? hand!.turn : "A"} unit={13} /></span>
              <span class="offer-text" aria-hidden="true"><i class="button-icon" /> {patch.buttons} <Clock /> {patch.time}</span>
              <span class="offer-text dim" aria-hidden="true">+{patch.income}<span class="wide"> {say("income")}</span></span>
              {part > 0.02 && <span class="share" aria-hidden="true">{Math.round(100 * part)} %</span>}
            </button>
          );
        })}
      </div>
    </section>
  );
}

function Clock() {
  return <svg class="clock" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" /><path d="M8 4.5V8l2.5 1.5" /></svg>;
}

const about = (p: Patch) => say("patch {0}: costs {1} buttons and {2} time, income {3}", p.letter, p.buttons, p.time, p.income);

function arc(from: number, to: number): string {
  const at = (deg: number) => { const a = (deg * Math.PI) / 180; return `${R + ring * Math.cos(a)} ${R + ring * Math.sin(a)}`; };
  return `M${at(from)}A${ring} ${ring} 0 ${to - from > 180 ? 1 : 0} 1 ${at(to)}`;
}

/** The way from 0 to the end of time, in rows that turn back and forth. */
export function TimeTrack({ sketch, times, incomes }: { sketch: Sketch; times: number[]; incomes: number[] }) {
  const row = useNarrow() ? 9 : 18, S = 40, rows = Math.ceil((sketch.finish + 1) / row);
  const place = (n: number) => { const y = Math.floor(n / row), x = n % row; return [(y % 2 ? row - 1 - x : x) * S, y * S]; };
  const ahead = Math.max(...times), svg = useRef<SVGSVGElement>(null);
  useLeast(svg);
  return (
    <svg ref={svg} class="time-track" viewBox={`-1 -1 ${row * S + 2} ${rows * S + 2}`} role="img" aria-label={say("Time: Blue on {0}, Red on {1}, of {2}", times[0], times[1], sketch.finish)}>
      {Array.from({ length: sketch.finish + 1 }, (_, n) => {
        const [x, y] = place(n), special = sketch.specials.includes(n);
        return (
          <g key={n} transform={`translate(${x},${y})`}>
            <rect class={`cell ${incomes.includes(n) ? "pays" : ""} ${n === sketch.finish ? "finish" : ""}`} x="1" y="1" width={S - 2} height={S - 2} rx="5" />
            <text class="dim" x="5" y="13">{n}</text>
            {incomes.includes(n) && <circle class="income" cx={S - 10} cy="10" r="5" />}
            {special && n > ahead && <rect class="patch cloth-special" x={S - 18} y={S - 18} width="13" height="13" rx="2" />}
          </g>
        );
      })}
      {times.map((n, i) => {
        const [x, y] = place(n);
        return <g key={i} class={`token glides quick ${i ? "second" : "first"}`} style={{ transform: `translate(${x + 14 + (times[0] === times[1] ? 12 * i : 3)}px,${y + S / 2 + 5}px)` }}><circle r="9" /></g>;
      })}
    </svg>
  );
}
