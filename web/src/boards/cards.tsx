// Onitama, with and without a wall: five by five cells and five cards.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Player, Position } from "../backend/backend";
import type { BoardProps, GameUI } from "./board";
import { phrase, say } from "../words";
import { arrows, button, follow, pointIn, useBefore, useKeys, useLeast } from "./tools";
import { cardIds, cardName, classic, findWall, menNames, piecesAfter, rowsOf, steps, walled, type Card, type Move, type Piece, type Side } from "./cards_text";
import { CardsSetup } from "./cards_setup";

const S = 84; // side of a cell
const left = 34, top = 138; // corner of the board
const cardW = 150, cardH = 118;
const width = left + 5 * S + 14 + cardW + 6, height = top + 5 * S + 30 + cardH + 8;

// Where a card lies: first's below the board, second's above, the one in the middle beside it on
// the side of the player who will take it.
function placeOf(card: Card, nth: number): [number, number] {
  if (card.owner < 0) return [left + 5 * S + 12, top + (5 * S) / 2 - cardH / 2 + (card.turned ? -S : S)];
  const x = left + 5 * S / 2 - cardW - 8 + nth * (cardW + 16);
  return [x, card.owner === 1 ? 8 : top + 5 * S + 28];
}

function cardsBoard(side: Side) {
  return function Board(props: BoardProps) {
    const { position, marks = [], onAct } = props;
    const rows = rowsOf(position);
    const wall = findWall(rows, side);
    const before = useBefore(position, props.previous);
    const [picked, pick] = useState<{ slot?: string; from?: string; to?: string }>({});
    const [drag, setDrag] = useState<{ from: string; x: number; y: number }>();
    const svg = useRef<SVGSVGElement>(null);
    useLayoutEffect(() => pick({}), [position]); // before the next tap can come
    useKeys({ Escape: () => pick({}) });
    useLeast(svg);

    // Identities of pieces and cards, kept from one position to the next.
    const kept = useRef<{ position?: string; pieces?: Piece[]; cards?: number[] }>({});
    if (kept.current.position !== position.position) {
      const follows = before && kept.current.position === before.position;
      const pieces = piecesAfter(side, rows, follows ? kept.current.pieces : undefined, follows ? position.move : undefined);
      kept.current = { position: position.position, pieces, cards: cardIds(side, position, follows ? before : undefined, kept.current.cards) };
    }

    const you = position.to_move === "first" ? 0 : 1;
    const moves = onAct ? position.legal.map(side.split) : [];
    const fits = (m: Move) => m.from && (!picked.slot || m.slot === picked.slot);
    const wallMoves = new Map<string, string>(); // by cell
    for (const m of moves) {
      if (m.wall && wall) wallMoves.set(side.cell(wall[0] + steps[m.wall][0], wall[1] + steps[m.wall][1]), m.action);
    }
    const act = (action: string) => { pick({}); onAct?.(action); };
    const targets = (from?: string) => moves.filter((m) => from && fits(m) && m.from === from);

    // choose goes to a cell with the man that is picked, or asks which card.
    function choose(from: string, to: string) {
      const ways = targets(from).filter((m) => m.to === to);
      if (ways.length === 1) act(ways[0].action);
      else if (ways.length > 1) pick({ from, to });
    }
    function cellAction(name: string): (() => void) | undefined {
      if (wallMoves.has(name)) return () => act(wallMoves.get(name)!);
      if (targets(picked.from).some((m) => m.to === name)) return () => choose(picked.from!, name);
      if (moves.some((m) => fits(m) && m.from === name)) return () => pick({ slot: picked.slot, from: picked.from === name ? undefined : name });
      return undefined;
    }
    function startDrag(e: PointerEvent, name: string) {
      const isWall = wall && side.cell(...wall) === name && wallMoves.size > 0;
      if (!onAct || !(isWall || moves.some((m) => fits(m) && m.from === name))) return;
      follow(e, (m) => {
        const at = pointIn(svg.current!, m);
        if (!isWall && picked.from !== name) pick({ slot: picked.slot, from: name });
        setDrag({ from: name, ...at });
      }, (m, moved) => {
        setDrag(undefined);
        if (!moved) return;
        const at = pointIn(svg.current!, m);
        const x = Math.floor((at.x - left) / S), y = Math.floor((at.y - top) / S);
        if (x < 0 || x > 4 || y < 0 || y > 4) return;
        const to = side.cell(x, y);
        if (isWall) wallMoves.has(to) && act(wallMoves.get(to)!);
        else choose(name, to);
      });
    }

    const last = position.move ? side.split(position.move) : undefined;
    const lastCells = new Set([last?.from, last?.to, last?.wall && wall && side.cell(...wall)].filter(Boolean));
    const held: Record<string, number> = {};
    const cards = side.cards(position);
    const order = cards.map((_, i) => i).sort((a, b) => kept.current.cards![a] - kept.current.cards![b]);
    const others = moves.filter((m) => !m.from && !m.wall);
    const isBase = (x: number, y: number) => x === 2 && (y === 0 || y === 4);
    const places = cards.map((c) => placeOf(c, (held[c.owner] = (held[c.owner] ?? -1) + 1)));
    const cellOf = (name: string): [number, number] => {
      for (let y = 0; y < 5; y++) for (let x = 0; x < 5; x++) if (side.cell(x, y) === name) return [x, y];
      return [0, 0];
    };
    return (
      <div>
        <svg ref={svg} class="board cards-board" viewBox={`0 0 ${width} ${height}`} role="group" aria-label={say("Board")} onKeyDown={arrows}>
          {Array.from({ length: 25 }, (_, i) => {
            const x = i % 5, y = Math.floor(i / 5), name = side.cell(x, y);
            const mark = rows[y][x];
            const does = cellAction(name);
            const target = does && (wallMoves.has(name) || targets(picked.from).some((m) => m.to === name));
            const what = mark === "." ? say("empty") : say(menNames(side)[mark]);
            return (
              <g key={name} transform={`translate(${left + x * S},${top + y * S})`} data-cell={name} data-at={`${x},${y}`}
                class={`${does ? "can" : ""} ${picked.from === name ? "picked" : ""} ${target ? "target" : ""}`}
                aria-pressed={does && !target ? picked.from === name : undefined}
                onPointerDown={(e) => startDrag(e, name)}
                {...button(`${name}: ${what}${target ? `, ${say("go here")}` : ""}`, does)}>
                <rect class={`cell${lastCells.has(name) ? " last" : ""}`} x="1.5" y="1.5" width={S - 3} height={S - 3} rx="9" />
                {isBase(x, y) && <path class="shrine" d={`M${S / 2} 12 L${S - 12} ${S / 2} L${S / 2} ${S - 12} L12 ${S / 2}Z`} />}
              </g>
            );
          })}
          {[0, 1, 2, 3, 4].map((i) => (
            <g key={i} class="axis" aria-hidden="true">
              <text class="dim" x={left - 12} y={top + i * S + S / 2 + 5} text-anchor="middle">{side.cell(0, i).replace(side === classic ? /[A-E]/ : /\d/, "")}</text>
              <text class="dim" x={left + i * S + S / 2} y={top + 5 * S + 18} text-anchor="middle">{side.cell(i, 0).replace(side === classic ? /\d/ : /[a-e]/, "")}</text>
            </g>
          ))}
          <g class="men" aria-hidden="true">
            {kept.current.pieces!.map((p) => {
              const dragged = drag && side.cell(p.x, p.y) === drag.from;
              const at = dragged ? [drag.x - S / 2, drag.y - S / 2] : [left + p.x * S, top + p.y * S];
              return (
                <g key={p.id} class={dragged ? "dragged" : "glides"} style={{ transform: `translate(${at[0]}px,${at[1]}px)` }}>
                  <Man side={side} mark={p.mark} />
                </g>
              );
            })}
          </g>
          <g class="dots" aria-hidden="true">
            {targets(picked.from).map((m) => {
              const [x, y] = cellOf(m.to!);
              return <circle key={m.action} cx={left + x * S + S / 2} cy={top + y * S + S / 2} r={rows[y][x] === "." ? 11 : 36} class={rows[y][x] === "." ? "dot" : "ring"} />;
            })}
            {[...wallMoves].map(([name, action]) => {
              const [x, y] = cellOf(name);
              return action === "s" ? null : <rect key={action} x={left + x * S + S / 2 - 11} y={top + y * S + S / 2 - 11} width="22" height="22" rx="4" class="dot" />;
            })}
          </g>
          <Arrows marks={marks} split={side.split} cellOf={cellOf} wall={wall} />
          {order.map((i) => {
            const c = cards[i], [x, y] = places[i];
            const playable = onAct && c.owner === you && (
              others.some((m) => m.slot === c.slot) ||
              moves.some((m) => m.slot === c.slot && m.from && (!picked.from || m.from === picked.from) && (!picked.to || m.to === picked.to)));
            const does = !playable ? undefined : () => {
              const ways = moves.filter((m) => m.slot === c.slot && m.from === picked.from && m.to === picked.to && (m.from || others.length));
              if (picked.to && ways.length === 1) act(ways[0].action);
              else if (others.length) act(others.find((m) => m.slot === c.slot)!.action);
              else pick({ ...picked, slot: picked.slot === c.slot ? undefined : c.slot, to: undefined });
            };
            const whose = c.owner < 0 ? say("in the middle") : say("held by {0}", sideName(c.owner));
            const on = c.owner === you && picked.slot === c.slot;
            return (
              <g key={kept.current.cards![i]} class={`card glides ${does ? "can" : ""} ${on ? "picked" : ""} ${picked.to && does ? "asked" : ""}`} data-card={c.slot}
                style={{ transform: `translate(${x}px,${y}px)` }} aria-pressed={does ? on : undefined} {...button(`${cardName(c)}, ${whose}`, does)}>
                <CardPicture card={c} />
              </g>
            );
          })}
          {picked.to && <text class="ask" x={left + (5 * S) / 2} y={you ? top - 6 : top + 5 * S + 22} text-anchor="middle">{say("with which card?")}</text>}
        </svg>
        {others.length > 0 && <p class="row" role="note">{say("No man can move: give a card away.")}
          {others.map((m) => <button key={m.action} class="can" onClick={() => act(m.action)}>{cardName(cards.find((c) => c.owner === you && c.slot === m.slot)!)}</button>)}</p>}
        {wallMoves.size > 0 && (
          <p class="row" role="note">{say("Move the wall, or")} <button class="can" onClick={() => act("s")}>{say("leave it where it is")}</button></p>
        )}
      </div>
    );
  };
}

function Man({ side, mark }: { side: Side; mark: string }) {
  const man = side.men[mark], half = S / 2;
  if (!man) return <g class="wall"><rect x="11" y="16" width={S - 22} height={S - 32} rx="4" /><path d={`M11 ${half}H${S - 11}M${half} 16V${half}M28 ${half}V${S - 16}M${S - 28} ${half}V${S - 16}`} /></g>;
  const color = man[0] ? "second" : "first";
  return (
    <g class={`man ${color}`}>
      <circle cx={half} cy={half} r={man[1] ? 31 : 24} />
      {man[1]
        ? <path class="sign" d={`M${half} ${half - 19} l5.6 12.2 13.3 1.6 -9.8 9.1 2.6 13.2 -11.7 -6.5 -11.7 6.5 2.6 -13.2 -9.8 -9.1 13.3 -1.6Z`} />
        : <circle class="sign" cx={half} cy={half} r="6" />}
    </g>
  );
}

function CardPicture({ card }: { card: Card }) {
  const unit = 17.5, x0 = (cardW - 5 * unit) / 2, y0 = 27;
  const color = card.owner < 0 ? "middle" : card.owner ? "second" : "first";
  return (
    <>
      <rect class="cell paper" width={cardW} height={cardH} rx="10" />
      <text x={cardW / 2} y="20" text-anchor="middle">{cardName(card)}</text>
      <g class="turns" style={{ transform: `rotate(${card.turned ? 180 : 0}deg)`, transformOrigin: `${x0 + 2.5 * unit}px ${y0 + 2.5 * unit}px` }}>
        {Array.from({ length: 25 }, (_, i) => {
          const x = i % 5, y = Math.floor(i / 5);
          const middle = card.middle?.[0] === x && card.middle[1] === y;
          const step = card.steps.some(([a, b]) => a === x && b === y);
          return <rect key={i} class={`square ${middle ? "origin" : step ? color : ""}`} x={x0 + x * unit} y={y0 + y * unit} width={unit - 2} height={unit - 2} rx="2.5" />;
        })}
      </g>
    </>
  );
}

function Arrows({ marks, split, cellOf, wall }: { marks: { action: string; weight: number; best?: boolean }[]; split: Side["split"]; cellOf(name: string): [number, number]; wall?: [number, number] }) {
  const centre = ([x, y]: [number, number]) => [left + x * S + S / 2, top + y * S + S / 2];
  return (
    <g class="arrows" aria-hidden="true">
      {marks.filter((m) => m.weight > 0.02).reverse().map((m) => {
        const move = split(m.action);
        const from = move.from ? centre(cellOf(move.from)) : move.wall && wall ? centre(wall) : undefined;
        const to = move.to ? centre(cellOf(move.to)) : move.wall && wall ? centre([wall[0] + steps[move.wall][0], wall[1] + steps[move.wall][1]]) : undefined;
        if (!from || !to) return null;
        const size = 5 + 9 * m.weight, length = Math.hypot(to[0] - from[0], to[1] - from[1]);
        const opacity = 0.35 + 0.55 * m.weight;
        if (length < 1) return <circle key={m.action} class={m.best ? "best" : ""} cx={from[0]} cy={from[1]} r={12 + 10 * m.weight} opacity={opacity} />;
        const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
        const head = size * 2.4, end = length - 8;
        return (
          <path key={m.action} class={m.best ? "best" : ""} opacity={opacity} transform={`translate(${from[0]},${from[1]}) rotate(${angle})`}
            d={`M14 ${-size / 2}H${end - head}V${-head / 1.6}L${end} 0L${end - head} ${head / 1.6}V${size / 2}H14Z`} />
        );
      })}
    </g>
  );
}

function wordsOf(side: Side) {
  return (before: Position, action: string): string => {
    const m = side.split(action);
    const cards = side.cards(before);
    const you = before.to_move === "first" ? 0 : 1;
    const card = cards.find((c) => c.owner === you && c.slot === m.slot), name = card ? cardName(card) : "";
    if (m.wall) return say(wallWords[m.wall]);
    if (!m.from) return say("no man moves; gives {0}", name);
    const at = (cell: string) => {
      const rows = rowsOf(before);
      for (let y = 0; y < 5; y++) for (let x = 0; x < 5; x++) if (side.cell(x, y) === cell) return rows[y][x];
      return ".";
    };
    const leads = side.men[at(m.from)]?.[1];
    const who = side === classic ? (leads ? say("master") : say("student")) : leads ? say("general") : say("soldier");
    const takes = at(m.to!) !== ".";
    return `${name}: ${who} ${m.from} ${takes ? "×" : "→"} ${m.to}`;
  };
}

const wallWords: Record<string, string> = { u: phrase("wall up"), d: phrase("wall down"), l: phrase("wall left"), r: phrase("wall right"), s: phrase("wall stays") };

const sideName = (seat: number) => (seat === 0 ? say("Blue") : say("Red"));
const sideOf = (player: Player) => sideName(player === "first" ? 0 : 1);

export const onitama: GameUI = {
  title: () => say("Onitama"), side: sideOf, words: wordsOf(classic), Board: cardsBoard(classic), Setup: CardsSetup(classic),
};

export const wallonitama: GameUI = {
  title: () => say("Onitama with a wall"), side: sideOf, words: wordsOf(walled), Board: cardsBoard(walled), Setup: CardsSetup(walled),
};
