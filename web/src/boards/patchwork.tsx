// Patchwork: the circle of patches, the time track and both quilts. Patches are chosen, turned
// and mirrored by mouse, touch or keys, and their fit is shown before they are dropped.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../backend/backend";
import type { BoardProps, GameUI } from "./board";
import { actionOf, clothOf, columns, coverOf, mirrored, patchOf, placementOf, seatsOf, sizeOf, sketchOf, turned, type Cell, type Cover, type Patch, type Placement, type Seat } from "./patches";
import { Circle, Shape, TimeTrack } from "./patchwork_parts";
import { PatchworkSetup } from "./patchwork_setup";
import { many, say } from "../words";
import { follow, keyed, still, useBefore, useKeys } from "./tools";

const C = 40; // side of a cell of a quilt
const nameOf = (seat: number) => (seat === 0 ? say("Blue") : say("Red"));

/** The patch in hand: where it would go, if anywhere yet. */
interface Hand { letter: string; turn: string; at?: Cell }

function Board(props: BoardProps) {
  const { position, marks = [], history } = props;
  const onAct = props.onAct;
  const before = useBefore(position, props.previous);
  const sketch = sketchOf(position), seats = useCounting(position, before);
  const seat = position.to_move === "first" ? 0 : 1;
  const placements = onAct ? position.legal.filter((a) => a.length === 4) : [];
  const legal = new Set(placements);
  const buyable = new Set(placements.map((a) => a[0]));
  const special = buyable.has(sketch.special.letter);
  const [hand, showHand] = useState<Hand>();
  const [drag, setDrag] = useState<{ x: number; y: number; size: number }>();
  const quilts = useRef<(SVGSVGElement | null)[]>([null, null]);
  const latest = useRef<Hand | undefined>(undefined);
  latest.current = hand;
  // Keys and pointers may come faster than the board is drawn: they see what the last one left.
  const setHand = (h: Hand | undefined) => { latest.current = h; showHand(h); tell(""); };
  const [said, tell] = useState(""); // why a key did nothing
  useLayoutEffect(() => setHand(special && onAct ? { letter: sketch.special.letter, turn: "A" } : undefined), [position, !onAct]);

  const patch = hand && patchOf(position, hand.letter);
  const fitting = (h: Hand | undefined): string | undefined => {
    const action = h?.at && actionOf({ letter: h.letter, turn: h.turn, x: h.at[0], y: h.at[1] });
    return action && legal.has(action) ? action : undefined;
  };
  const fits = fitting(hand);
  const drop = (h: Hand | undefined) => { const action = fitting(h); if (action) { setHand(undefined); onAct!(action); } };
  // A patch is taken as it is drawn, or turned if it fits nowhere like that.
  const turnOf = (letter: string) => {
    const own = placements.filter((a) => a[0] === letter);
    return own.find((a) => a[3] === "A")?.[3] ?? own[0]?.[3] ?? "A";
  };
  const take = (letter: string) => {
    const h = latest.current, turn = turnOf(letter);
    setHand(h?.letter === letter && !special ? undefined : { letter, turn, at: h?.at && inside(patchOf(position, letter)!, turn, h.at) });
  };
  const change = (f: (p: Patch, turn: string) => string) => {
    const h = latest.current, p = h && patchOf(position, h.letter);
    if (!h || !p) return;
    const turn = f(p, h.turn);
    setHand({ ...h, turn, at: h.at && inside(p, turn, h.at) });
  };

  // The corner that puts the middle of the patch under a pointer.
  function under(e: { clientX: number; clientY: number }, h: Hand, lifted = 0): Cell | undefined {
    const box = quilts.current[seat]?.getBoundingClientRect();
    if (!box) return undefined;
    const x = ((e.clientX - box.left) / box.width) * 9, y = ((e.clientY - lifted - box.top) / box.height) * 9;
    if (x < -1 || x > 10 || y < -1 || y > 10) return undefined;
    const p = patchOf(position, h.letter)!, [w, t] = sizeOf(p.shapes[h.turn]);
    return inside(p, h.turn, [Math.round(x - w / 2), Math.round(y - t / 2)]);
  }
  function startDrag(e: PointerEvent, letter: string) {
    if (e.button !== 0 || !buyable.has(letter)) return;
    const kept = latest.current?.letter === letter ? latest.current : { letter, turn: turnOf(letter) };
    const wheel = (w: WheelEvent) => { w.preventDefault(); change(turned); };
    // A finger holds a patch from below, where it can be seen; the touch of a second one turns it.
    const finger = e.pointerType === "touch", lifted = finger ? 60 : 0;
    const second = (p: PointerEvent) => { if (p.pointerId !== e.pointerId) { p.preventDefault(); change(turned); } };
    let going = false;
    follow(e, (m) => {
      if (!going) { addEventListener("wheel", wheel, { passive: false }); addEventListener("pointerdown", second); }
      going = true;
      const h = latest.current?.letter === letter ? latest.current : kept;
      const size = (quilts.current[seat]?.getBoundingClientRect().width ?? 360) / 9;
      setHand({ ...h, at: under(m, h, lifted) });
      setDrag({ x: m.clientX, y: m.clientY - lifted, size });
    }, (_, moved) => {
      removeEventListener("wheel", wheel);
      removeEventListener("pointerdown", second);
      setDrag(undefined);
      if (moved) drop(latest.current);
    });
  }
  // What is in hand goes a step, or to where keys begin.
  const step = (dx: number, dy: number) => () => {
    const h = latest.current, p = h && patchOf(position, h.letter);
    if (!h || !p) return;
    setHand({ ...h, at: inside(p, h.turn, h.at ? [h.at[0] + dx, h.at[1] + dy] : firstFit(h)) });
    quilts.current[seat]?.focus();
  };
  const offer = (nth: number) => () => {
    const letter = sketch.circle.slice(0, sketch.offers)[nth - 1]?.letter;
    if (!letter || !buyable.has(letter)) { tell(letter ? say("Patch {0} cannot be bought now.", letter) : say("There is no patch {0} on offer.", nth)); return; }
    take(letter);
    quilts.current[seat]?.focus();
  };
  const turn = (f: typeof turned) => () => (latest.current ? change(f) : tell(say("No patch is in hand: 1, 2 and 3 take one.")));
  useKeys(!onAct ? {} : {
    1: offer(1), 2: offer(2), 3: offer(3), r: turn(turned), f: turn(mirrored), Escape: () => { if (!special) setHand(undefined); },
    a: () => (position.legal.includes(".") ? onAct(".") : tell(say("A special patch has to be put first."))),
    ...(hand && { ArrowLeft: step(-1, 0), ArrowRight: step(1, 0), ArrowUp: step(0, -1), ArrowDown: step(0, 1) }),
  });
  function onQuiltKey(e: KeyboardEvent) {
    if (!latest.current || (e.key !== "Enter" && e.key !== " ")) return;
    drop(latest.current);
    e.preventDefault();
  }
  // Where keys begin: the first place where the patch fits as it is turned.
  function firstFit(h: Hand): Cell {
    const action = placements.find((a) => a[0] === h.letter && a[3] === h.turn);
    const p = action ? placementOf(action) : undefined;
    return p ? [p.x, p.y] : [0, 0];
  }
  function quiltPointer(e: PointerEvent, done: boolean) {
    if (!hand || drag) return;
    const at = under(e, hand);
    if (e.pointerType === "mouse") {
      if (done) drop({ ...hand, at });
      else if (String(at) !== String(hand.at)) setHand({ ...hand, at });
      return;
    }
    // A finger shows the fit first: a second touch of the same place drops.
    if (!done) return;
    if (hand.at && String(at) === String(hand.at) && fits) drop(hand);
    else setHand({ ...hand, at });
  }

  const cover = coverOf(history);
  const advance = position.legal.includes(".");
  const target = Math.min(seats.now[1 - seat].time + 1, sketch.finish);
  const share = (f: (m: Placement | undefined, action: string) => boolean) => marks.reduce((sum, m) => sum + (f(placementOf(m.action), m.action) ? m.weight : 0), 0);
  const where = hand?.at ? `${columns[hand.at[0]]}${hand.at[1] + 1}` : "";
  const inHand = hand ? `${hand.letter}${turnWords(hand.turn)}` : "";
  const told = special ? say("A special patch: put it on any empty cell.")
    : !hand ? (buyable.size ? say("Pick a patch on offer, or drag it onto the quilt.") : say("No patch can be bought now."))
    : !hand.at ? say("Choose where patch {0} goes.", inHand)
    : fits ? say("Patch {0} fits at {1}.", inHand, where) : say("Patch {0} does not fit at {1}.", inHand, where);
  return (
    <div class="board patchwork">
      <TimeTrack sketch={sketch} times={seats.shown.map((s) => s.time)} incomes={sketch.incomes} />
      <div class="tables">
        {[0, 1].map((s) => (
          <section key={s} class={`quilt-side side-${s} ${s === seat ? "mine" : "theirs"} ${s === seat && position.outcome === "ongoing" ? "to-move" : ""}`}>
            <p class="purse"><b class={s ? "second-name" : "first-name"}>{nameOf(s)}</b>
              <span title={say("buttons")}><i class="button-icon" aria-hidden="true" /> {seats.shown[s].buttons}{seats.gain[s] !== 0 && <em key={position.position} class={seats.gain[s] > 0 ? "gain" : "gain loss"}>{seats.gain[s] > 0 ? "+" : "−"}{Math.abs(seats.gain[s])}</em>}<span class="hidden"> {say("buttons")}</span></span>
              <span title={say("income")}>+{seats.now[s].income}<span class="wide"> {say("income")}</span></span>
              <span class="dim" title={say("what the game would be worth if it ended now")}>{String(position.score?.[s] ?? "").replace("-", "−")}<span class="wide"> {say("points")}</span></span>
            </p>
            <svg ref={(e) => { quilts.current[s] = e; }} class={`quilt ${s === seat && hand ? "open" : ""}`} viewBox={`0 0 ${9 * C} ${9 * C}`}
              data-quilt={s} tabindex={s === seat && onAct ? 0 : -1} role={s === seat && onAct ? "application" : "img"}
              aria-label={`${say("{0}'s quilt, {1} cells empty", nameOf(s), 81 - seats.now[s].rows.flat().filter(Boolean).length)}${s === seat && hand ? `; ${told}; ${say("arrow keys move it, R turns, F mirrors, Enter drops")}` : ""}`}
              onKeyDown={s === seat ? onQuiltKey : undefined}
              onPointerMove={s === seat ? (e) => quiltPointer(e, false) : undefined}
              onClick={s === seat && hand ? (e) => quiltPointer(e as unknown as PointerEvent, true) : undefined}
              onContextMenu={(e) => { if (hand) { e.preventDefault(); change(turned); } }}
              onPointerLeave={(e) => { if (s === seat && hand && !drag && e.pointerType === "mouse") setHand({ ...hand, at: undefined }); }}>
              <Quilt seat={seats.now[s]} cover={cover[s]} last={position.move && before?.to_move === players[s] ? placementOf(position.move) : lastOf(position, history, s)} position={history?.[history.length - 2] ?? props.previous} />
              {s === seat && marks.toReversed().map((m) => {
                const p = placementOf(m.action), shape = p && patchOf(position, p.letter)?.shapes[p.turn];
                return shape && m.weight > 0.02 && !hand ? <g key={m.action} class={`heat-patch ${m.best ? "best" : ""}`} opacity={m.best ? 0.55 + 0.3 * m.weight : 0.1 + 0.6 * m.weight}>{shape.map(([x, y]) => <rect key={`${x},${y}`} x={(p.x + x) * C + 4} y={(p.y + y) * C + 4} width={C - 8} height={C - 8} rx="4" />)}</g> : null;
              })}
              {s === seat && hand?.at && patch && (
                <g class={`preview ${fits ? "fits" : "clashes"}`}>
                  {patch.shapes[hand.turn].map(([x, y]) => {
                    const cx = hand.at![0] + x, cy = hand.at![1] + y;
                    return <g key={`${x},${y}`}><rect x={cx * C + 1} y={cy * C + 1} width={C - 2} height={C - 2} rx="5" />
                      {seats.now[s].rows[cy]?.[cx] && <path d={`M${cx * C + 10} ${cy * C + 10}l20 20m0 -20l-20 20`} />}</g>;
                  })}
                </g>
              )}
            </svg>
          </section>
        ))}
        <Circle position={position} hand={hand} buyable={buyable} share={(letter) => share((p) => p?.letter === letter)} take={onAct ? take : undefined} startDrag={startDrag} />
      {onAct && (
        <div class="row patch-tools">
          {advance && <button class="can" data-advance onClick={() => onAct(".")}>{keyed(many(target - seats.now[seat].time, "_A_dvance to {1}: +{0} button", "_A_dvance to {1}: +{0} buttons", target))}{share((_, a) => a === ".") > 0.02 ? ` (${Math.round(100 * share((_, a) => a === "."))} %)` : ""}</button>}
          <button disabled={!patch || Object.keys(patch.shapes).length < 2} onClick={() => change(turned)}>↻ {keyed(say("Tu_r_n"))}</button>
          <button disabled={!patch || Object.keys(patch.shapes).length < 2} onClick={() => change(mirrored)}>⇋ {keyed(say("_F_lip"))}</button>
          <button class={fits ? "primary" : ""} disabled={!fits} onClick={() => drop(hand)}>{hand?.at ? say("Drop it at {0}", where) : say("Drop it here")}</button>
          <span class="dim small" role="status">{said || told}</span>
        </div>
      )}
      </div>
      {drag && patch && (
        <div class="dragging" style={{ left: `${drag.x}px`, top: `${drag.y}px` }} aria-hidden="true">
          <Shape patch={patch} turn={hand!.turn} unit={drag.size} />
        </div>
      )}
    </div>
  );
}

const players = ["first", "second"];

// turnWords tell how a patch is mirrored and turned.
function turnWords(turn: string): string {
  const n = "ABCDEFGH".indexOf(turn);
  return `${n > 3 ? " ⇋" : ""}${n % 4 ? ` ↻${90 * (n % 4)}°` : ""}`;
}

// inside is the nearest corner at which a patch lies on the quilt.
function inside(patch: Patch, turn: string, [x, y]: Cell): Cell {
  const [w, h] = sizeOf(patch.shapes[turn]);
  return [Math.max(0, Math.min(9 - w, x)), Math.max(0, Math.min(9 - h, y))];
}

// lastOf is where the last action of a game put a patch, if it was this seat's.
function lastOf(position: Position, history: Position[] | undefined, seat: number): Placement | undefined {
  const before = history && history.length > 1 ? history[history.length - 2] : undefined;
  return before && position.move && before.to_move === players[seat] ? placementOf(position.move) : undefined;
}

function Quilt({ seat, cover, last, position }: { seat: Seat; cover: (Cover | undefined)[][]; last?: Placement; position?: Position }) {
  const shape = last && position && patchOf(position, last.letter)?.shapes[last.turn];
  return (
    <>
      {seat.rows.map((row, y) => row.map((full, x) => {
        const here = full ? cover[y][x] : undefined, patch = here?.patch;
        const joined = (dx: number, dy: number) => patch && seat.rows[y + dy]?.[x + dx] && cover[y + dy]?.[x + dx]?.patch === patch;
        return (
          <g key={`${x},${y}`} data-cell={columns[x] + columns[y]}>
            <rect class={full ? `patch ${clothOf(patch)}` : "cell"} x={x * C + (full ? 0 : 1)} y={y * C + (full ? 0 : 1)} width={full ? C : C - 2} height={full ? C : C - 2} rx={full ? 0 : 4} />
            {full && <path class="seam" d={`${joined(0, -1) ? "" : `M${x * C} ${y * C}h${C}`}${joined(0, 1) ? "" : `M${x * C} ${y * C + C}h${C}`}${joined(-1, 0) ? "" : `M${x * C} ${y * C}v${C}`}${joined(1, 0) ? "" : `M${x * C + C} ${y * C}v${C}`}`} />}
            {here?.button && <circle class="income" cx={(x + 0.5) * C} cy={(y + 0.5) * C} r={C * 0.22} />}
          </g>
        );
      }))}
      {shape && <g class="last-patch">{shape.map(([x, y]) => <rect key={`${x},${y}`} x={(last.x + x) * C + 5} y={(last.y + y) * C + 5} width={C - 10} height={C - 10} rx="5" />)}</g>}
    </>
  );
}

// useCounting is both seats as they are, and as they are shown while time and buttons run up to that.
function useCounting(position: Position, before: Position | undefined): { now: Seat[]; shown: Seat[]; gain: number[] } {
  const now = seatsOf(position.position), old = before && !still() ? seatsOf(before.position) : undefined;
  const [shown, show] = useState<{ at: Position; seats: Seat[] }>();
  const gain = useRef<{ at?: Position; by: number[] }>({ by: [0, 0] });
  if (gain.current.at !== position) gain.current = { at: position, by: old ? now.map((s, i) => s.buttons - old[i].buttons) : [0, 0] };
  useEffect(() => {
    if (!old) return;
    let timer = 0, seats = old;
    const next = () => {
      const toward = (a: number, b: number) => (a === b ? a : a + Math.sign(b - a));
      seats = seats.map((s, i) => ({ ...s, time: toward(s.time, now[i].time), buttons: toward(s.buttons, now[i].buttons) }));
      show({ at: position, seats });
      if (seats.some((s, i) => s.time !== now[i].time || s.buttons !== now[i].buttons)) timer = setTimeout(next, 90);
    };
    timer = setTimeout(next, 90);
    return () => clearTimeout(timer);
  }, [position]);
  return { now, shown: shown?.at === position ? shown.seats : old ?? now, gain: gain.current.by };
}

export const patchwork: GameUI = {
  title: () => say("Patchwork"),
  side: (player) => nameOf(player === "first" ? 0 : 1),
  words: (before, action) => {
    const seat = before.to_move === "first" ? 0 : 1, p = placementOf(action), seats = seatsOf(before.position);
    if (!p) {
      const to = Math.min(seats[1 - seat].time + 1, sketchOf(before).finish), gain = to - seats[seat].time;
      return say("advances to {0}, gains {1}", to, gain);
    }
    const patch = patchOf(before, p.letter), at = `${columns[p.x]}${p.y + 1}`;
    if (!patch || p.letter === sketchOf(before).special.letter) return say("special patch at {0}", at);
    return say("buys {0} at {1}", p.letter, at + turnWords(p.turn));
  },
  Board, Setup: PatchworkSetup,
};
