// Ô ăn quan: twelve fields in a ring, two of them of the kings (quan). Stones lie in rows of
// five, so that they can be counted by the eye.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Player, Position } from "../backend/backend";
import type { BoardProps, GameUI, SetupProps } from "./board";
import { button, isNarrow, still, useBefore, useKeys, useLeast, useNarrow } from "./tools";
import { many, say } from "../words";
import { rulesVi } from "./oanquan_words";

/** What happens in a turn, one thing after another, as the game writes it. */
interface Stage { do: "lift" | "drop" | "win" | "refill"; field: number; stones: number; seat: number }

/** What lies on the board, read from the text of a position or in the middle of a turn. */
interface Table { fields: number[]; won: number[]; big: boolean[]; hand?: { field: number; stones: number; seat: number }; flash?: number; prize?: { field: number; stones: number; seat: number } }

function read(text: string): Table & { seat: number } {
  const [counts, won, mover, big] = text.split(" ");
  return {
    fields: counts.split(",").map(Number), won: won.split(",").map(Number), seat: Number(mover) - 1,
    big: [big === undefined || big[0] === "1", big === undefined || big[1] === "1"],
  };
}

// sidesOf are the names of the players, by their seats. Where the board stands upright, the row above is on the right.
const sidesOf = (upright: boolean) => (upright ? [say("Right"), say("Left")] : [say("Above"), say("Below")]);

// nameOf is the name of a field, such as king 6.
const nameOf = (f: number) => (isKing(f) ? say("king {0}", f) : say("field {0}", f));

// sowing is an action in words.
const sowing = (f: number | string, clockwise: boolean) => (clockwise ? say("sow {0} ↻ clockwise", f) : say("sow {0} ↺ anticlockwise", f));

const isKing = (f: number) => f % 6 === 0;

// carryOut is the table after a stage.
function carryOut(t: Table, s: Stage): Table {
  const n: Table = { ...t, fields: [...t.fields], won: [...t.won], big: [...t.big], flash: s.field, prize: undefined };
  switch (s.do) {
    case "lift":
      n.fields[s.field] -= s.stones;
      n.hand = { field: s.field, stones: s.stones, seat: s.seat };
      break;
    case "drop":
      n.fields[s.field] += 1;
      n.hand = { field: s.field, stones: t.hand!.stones - 1, seat: s.seat };
      if (n.hand.stones === 0) n.hand = undefined;
      break;
    case "win":
      n.fields[s.field] = 0;
      n.won[s.seat] += s.stones;
      if (isKing(s.field)) n.big[s.field / 6] = false;
      n.hand = undefined;
      n.prize = s;
      break;
    case "refill":
      n.fields[s.field] += s.stones;
      n.won[s.seat] -= s.stones;
      break;
  }
  return n;
}

const delays = { lift: 320, drop: 190, win: 650, refill: 120 };

// useTable is what to draw: the position, or, for as long as it takes, how its turn is carried out.
function useTable(position: Position, before: Position | undefined): [Table, boolean] {
  const [shown, show] = useState<{ at: Position; table: Table }>();
  const running = useRef<Position | undefined>(undefined);
  const stages = position.stages as Stage[] | undefined;
  const animate = before && stages && !still() ? before : undefined;
  useEffect(() => {
    if (!animate) return;
    running.current = position;
    // Long relays are shown faster, so that a turn takes no more than some six seconds.
    const total = stages!.reduce((sum, s) => sum + delays[s.do], 0), speed = Math.max(1, total / 6000);
    let table: Table = read(animate.position), timer = 0, i = 0;
    const next = () => {
      if (i === stages!.length) { show(undefined); return; }
      table = carryOut(table, stages![i]);
      show({ at: position, table });
      timer = setTimeout(next, delays[stages![i++].do] / speed);
    };
    next();
    return () => { clearTimeout(timer); show(undefined); };
  }, [position]);
  if (shown?.at === position) return [shown.table, true];
  return [animate && running.current !== position ? read(animate.position) : read(position.position), false];
}

// Where things lie: the board lies across, or upright on a narrow screen.
function layout(upright: boolean) {
  const W = upright ? 150 : 116, H = upright ? 92 : 116, end = upright ? 122 : 156;
  const pad = 14, score = 40;
  const size = upright ? [2 * W + 2 * pad, 5 * H + 2 * end + 2 * pad + score] : [5 * W + 2 * end + 2 * pad, 2 * H + 2 * pad + 2 * score];
  // The corner and the size of a field.
  const place = (f: number): [number, number, number, number] => {
    if (upright) {
      if (f === 0) return [pad, pad + score, 2 * W, end];
      if (f === 6) return [pad, pad + score + end + 5 * H, 2 * W, end];
      return f < 6 ? [pad + W, pad + score + end + (f - 1) * H, W, H] : [pad, pad + score + end + (11 - f) * H, W, H];
    }
    if (f === 0) return [pad, pad + score, end, 2 * H];
    if (f === 6) return [pad + end + 5 * W, pad + score, end, 2 * H];
    return f < 6 ? [pad + end + (f - 1) * W, pad + score, W, H] : [pad + end + (11 - f) * W, pad + score + H, W, H];
  };
  // The outline of a king's field: a half disc at the end of the board.
  const outline = (f: number): string => {
    const [x, y, w, h] = place(f), m = 3;
    if (upright) return f === 0 ? `M${x + m} ${y + h - m}A${w / 2 - m} ${h - 2 * m} 0 0 1 ${x + w - m} ${y + h - m}Z` : `M${x + m} ${y + m}A${w / 2 - m} ${h - 2 * m} 0 0 0 ${x + w - m} ${y + m}Z`;
    return f === 0 ? `M${x + w - m} ${y + m}A${w - 2 * m} ${h / 2 - m} 0 0 0 ${x + w - m} ${y + h - m}Z` : `M${x + m} ${y + m}A${w - 2 * m} ${h / 2 - m} 0 0 1 ${x + m} ${y + h - m}Z`;
  };
  // The step on the screen to the next field, clockwise.
  const onward = (f: number): [number, number] => {
    if (upright) return f > 0 && f < 6 ? [0, 1] : [0, -1];
    return f > 0 && f < 6 ? [1, 0] : [-1, 0];
  };
  return { size, place, outline, onward, pad };
}

// stonesIn are the middles of n stones in a box: rows of five, or of ten with a gap, when they are many.
function stonesIn(n: number, x: number, y: number, w: number, h: number): [number, number, number][] {
  const columns = n <= 25 ? 5 : 10, rows = Math.max(1, Math.ceil(n / columns));
  const pitch = Math.min(w / (columns === 5 ? 5.2 : 10.8), h / Math.max(rows, columns === 5 ? 3 : 4), 21);
  const gap = columns === 10 ? pitch * 0.6 : 0;
  const x0 = x + (w - columns * pitch - gap) / 2, y0 = y + (h - rows * pitch) / 2;
  return Array.from({ length: n }, (_, i) => {
    const column = i % columns, row = Math.floor(i / columns);
    return [x0 + column * pitch + pitch / 2 + (column >= 5 ? gap : 0), y0 + row * pitch + pitch / 2, pitch * 0.45];
  });
}

function Board(props: BoardProps) {
  const { position, marks = [] } = props;
  const before = useBefore(position, props.previous);
  const [table, moving] = useTable(position, before);
  const onAct = moving ? undefined : props.onAct;
  const [picked, pick] = useState<number>();
  const upright = useNarrow();
  const { size, place, outline, onward, pad } = layout(upright);
  const root = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => pick(undefined), [position]); // before the next tap can come
  useLeast(root);
  // The arrows of a field go, and leave the focus to it.
  const letGo = () => {
    if (root.current?.contains(document.activeElement)) root.current.querySelector<SVGElement>(`[data-field="${picked}"]`)?.focus();
    pick(undefined);
  };
  useKeys({ Escape: letGo });
  useEffect(() => { // a field that was picked hands the focus to its arrows
    if (picked !== undefined && root.current?.contains(document.activeElement)) root.current.querySelector<SVGElement>(".way")?.focus();
  }, [picked]);

  const legal = onAct ? position.legal : [];
  const fieldOf = (a: string) => parseInt(a, 10);
  const last = position.move && !moving ? fieldOf(position.move) : undefined;
  const seat = Number(position.position.split(" ")[2]) - 1;
  const wonAt = upright ? [[size[0] - pad - 2, pad + 18], [pad + 2, pad + 18]] : [[pad + 2, pad + 18], [pad + 2, size[1] - pad - 6]]; // by seat
  const centre = (f: number): [number, number] => { const [x, y, a, b] = place(f); return [x + a / 2, y + b / 2]; };

  return (
    <svg ref={root} class={`board oanquan ${upright ? "upright" : ""}`} viewBox={`0 0 ${size[0]} ${size[1]}`} role="group" aria-label={say("Choose a field of yours, then a direction.")}>
      <defs>
        {["pebble", "quan"].map((name) => <radialGradient key={name} id={name} cx="38%" cy="32%" r="75%"><stop class="shine" offset="0" /><stop class={name} offset="45%" /><stop class="shade" offset="1" /></radialGradient>)}
      </defs>
      {[0, 1].map((s) => (
        <g key={s} class="winnings">
          <text x={wonAt[s][0]} y={wonAt[s][1]} text-anchor={upright && s === 0 ? "end" : "start"} class={s === seat && position.outcome === "ongoing" ? "to-move" : ""}>
            {say("{0}: won", sidesOf(upright)[s])} <tspan class="count">{table.won[s]}</tspan>
          </text>
        </g>
      ))}
      {Array.from({ length: 12 }, (_, f) => {
        const [x, y, a, b] = place(f);
        const n = table.fields[f], king = isKing(f), big = king && table.big[f / 6];
        const can = legal.some((m) => fieldOf(m) === f);
        const label = `${nameOf(f)}: ${many(n, "{0} stone", "{0} stones")}${big ? `, ${say("with the big stone")}` : ""}`;
        return (
          <g key={f} data-field={f} class={`field ${can ? "can" : ""} ${picked === f ? "picked" : ""} ${table.flash === f && moving ? "flash" : ""}`}
            aria-expanded={can ? picked === f : undefined} {...button(label, can ? () => pick(picked === f ? undefined : f) : undefined)}>
            {king ? <path class={`cell ${last === f ? "last" : ""}`} d={outline(f)} /> : <rect class={`cell ${last === f ? "last" : ""}`} x={x + 2} y={y + 2} width={a - 4} height={b - 4} rx="12" />}
          </g>
        );
      })}
      <g class="contents" aria-hidden="true">
      {Array.from({ length: 12 }, (_, f) => {
        const [x, y, a, b] = place(f);
        const n = table.fields[f], king = isKing(f), big = king && table.big[f / 6];
        const small = big ? n - bigValue(position, table, f) : n;
        const box: [number, number, number, number] = king
          ? upright ? [x + a / 4, f === 0 ? y + b * 0.62 : y + b * 0.08, a / 2, b * 0.32] : [f === 0 ? x + a * (big ? 0.5 : 0.3) : x + a * 0.04, y + b * 0.2, a * (big ? 0.46 : 0.66), b * 0.56]
          : [x + 8, y + 8, a - 16, b - 30];
        const bigAt: [number, number] = upright ? [x + a / 2, f === 0 ? y + b * 0.36 : y + b * 0.66] : [f === 0 ? x + a * 0.28 : x + a * 0.72, y + b / 2];
        const number: [number, number] = king
          ? upright ? [x + a / 2 + 48, f === 0 ? y + b * 0.42 : y + b * 0.68] : [f === 0 ? x + a * 0.74 : x + a * 0.26, y + b - 34]
          : [x + a - 14, y + b - 11];
        return (
          <g key={f}>
            {big && <ellipse class="quan" cx={bigAt[0]} cy={bigAt[1]} rx={upright ? 25 : 21} ry={upright ? 19 : 32} />}
            {stonesIn(small, ...box).map(([cx, cy, r], i) => <circle key={i} class="dan" cx={cx} cy={cy} r={r} />)}
            <text class="count" x={number[0]} y={number[1]} text-anchor={king ? "middle" : "end"}>{n}</text>
            {!king && <text class="dim index" x={x + 13} y={y + b - 11}>{f}</text>}
          </g>
        );
      })}
      </g>
      <Ways marks={moving ? [] : marks} centre={centre} onward={onward} place={place} />
      {table.hand && <Hand at={place(table.hand.field)} stones={table.hand.stones} label={say("in the hand")} />}
      {table.prize && <Prize key={table.prize.field} from={centre(table.prize.field)} to={[wonAt[table.prize.seat][0] + (upright ? 0 : 168), wonAt[table.prize.seat][1] - 6]} stones={table.prize.stones} />}
      {picked !== undefined && legal.filter((m) => fieldOf(m) === picked).map((m) => {
        const on = m.endsWith("+"), [dx, dy] = onward(picked), sign = on ? 1 : -1, [cx, cy] = centre(picked);
        const angle = (Math.atan2(sign * dy, sign * dx) * 180) / Math.PI;
        const off = upright ? 26 : 34;
        return (
          <g key={m} class="way can" data-way={m} {...button(sowing(picked, on), () => { letGo(); onAct!(m); })}
            transform={`translate(${cx + sign * dx * off},${cy + sign * dy * off - (upright ? 4 : 6)}) rotate(${angle})`}>
            <circle r={upright ? 21 : 25} />
            <path d="M-11 -4.5H2V-11L14 0L2 11V4.5H-11Z" />
          </g>
        );
      })}
    </svg>
  );
}

// bigValue is what the big stone of a king's field counts: the count at the start of a game says it.
function bigValue(position: Position, table: Table, f: number): number {
  const five = /big_value=5/.test(position.game);
  return Math.min(table.fields[f], five ? 5 : 10);
}

function Hand({ at: [x, y, w, h], stones, label }: { at: [number, number, number, number]; stones: number; label: string }) {
  return (
    <g class="hand glides" aria-hidden="true" style={{ transform: `translate(${x + w / 2}px,${y + h / 2 - 6}px)` }}>
      <title>{label}</title>
      <circle r="23" />
      <text y="7" text-anchor="middle">{stones}</text>
    </g>
  );
}

// Prize is what was won, on its way to its winner.
function Prize({ from, to, stones }: { from: [number, number]; to: [number, number]; stones: number }) {
  return (
    <g class="prize" aria-hidden="true" style={{ transform: `translate(${to[0]}px,${to[1]}px)`, "--from": `translate(${from[0]}px,${from[1]}px)` }}>
      <circle r="23" />
      <text y="7" text-anchor="middle">+{stones}</text>
    </g>
  );
}

// Ways draws what a search likes as arrows along the ring.
function Ways({ marks, centre, onward, place }: { marks: { action: string; weight: number; best?: boolean }[]; centre(f: number): [number, number]; onward(f: number): [number, number]; place(f: number): number[] }) {
  return (
    <g class="arrows" aria-hidden="true">
      {marks.filter((m) => m.weight > 0.02).reverse().map((m) => {
        const f = parseInt(m.action, 10), [cx, cy] = centre(f), [dx, dy] = onward(f), sign = m.action.endsWith("+") ? 1 : -1;
        const [, top, w, h] = place(f), long = dx ? w / 2 : h / 2, size = 6 + 8 * m.weight;
        const angle = (Math.atan2(sign * dy, sign * dx) * 180) / Math.PI;
        return <path key={m.action} class={m.best ? "best" : ""} opacity={0.4 + 0.5 * m.weight} transform={`translate(${cx},${f % 6 ? top + 15 : cy}) rotate(${angle})`}
          d={`M6 ${-size / 2}H${long - 8}V${-size}L${long + 12} 0L${long - 8} ${size}V${size / 2}H6Z`} />;
      })}
    </g>
  );
}

// Setup changes counts by buttons. The texts of positions add up to all stones of the game, so what is
// taken from one place has to go to another; the page says by how much the sum is off.
function Setup({ text, position, change }: SetupProps) {
  const sides = sidesOf(useNarrow());
  const usable = /^\d+(,\d+){11} -?\d+,-?\d+ [12]/.test(text);
  const parts = (usable ? text : position.position).split(" ");
  const fields = parts[0].split(",").map(Number), won = parts[1].split(",").map(Number), big = parts[3] ?? "11";
  const write = (f: number[], p: number[], mover: string, kings: string) => change([f.join(","), p.join(","), mover, kings, ...parts.slice(4)].join(" "));
  const count = (label: string, value: number, set: (n: number) => void, least: number) => (
    <label key={label}>{label} <input type="number" min={least} max="255" value={value} onInput={(e) => set(Math.round(Number(e.currentTarget.value) || 0))} /></label>
  );
  return (
    <div class="setup counts">
      {fields.map((n, f) => count(nameOf(f), n, (v) => write(fields.map((o, i) => (i === f ? v : o)), won, parts[2], big), 0))}
      {won.map((n, s) => count(say("{0}: won", sides[s]), n, (v) => write(fields, won.map((o, i) => (i === s ? v : o)), parts[2], big), -255))}
      {[0, 1].map((k) => (
        <label key={k}><input type="checkbox" checked={big[k] === "1"} onChange={(e) => write(fields, won, parts[2], [...big].map((c, i) => (i === k ? (e.currentTarget.checked ? "1" : "0") : c)).join(""))} /> {nameOf(6 * k)} {say("with the big stone")}</label>
      ))}
      <label>▶ <select value={parts[2]} aria-label={say("to move")} onChange={(e) => write(fields, won, e.currentTarget.value, big)}>
        {sides.map((name, s) => <option key={s} value={s + 1}>{name}</option>)}</select></label>
    </div>
  );
}

export const oanquan: GameUI = {
  title: () => "Ô ăn quan",
  side: (player: Player) => sidesOf(isNarrow())[player === "first" ? 1 : 0],
  words: (before: Position, action: string) => {
    const f = parseInt(action, 10);
    const stones = before.position.split(" ")[0].split(",")[f];
    return sowing(`${f} (${stones})`, action.endsWith("+"));
  },
  Board, Setup,
  rules: { vi: rulesVi },
};
