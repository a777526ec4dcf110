// Onitama, with and without a wall: five by five cells and five cards.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Player, Position } from "../wire";
import type { BoardProps, GameUI } from "./board";
import { phrase, say } from "../words";
import { layoutOf, nameSize, S } from "./cards_layout";
import { Arrows, CardPicture, LastMove, Man, Temple, Win, wonBy } from "./cards_parts";
import { arrows, button, follow, pointIn, useBefore, useKeys, useLeast, useNarrow } from "./tools";
import { cardIds, cardName, classic, findWall, menNames, piecesAfter, rowsOf, steps, walled, type Card, type Point,
	type Move, type Piece, type Side } from "./cards_text";
import { CardsSetup } from "./cards_setup";

function cardsBoard(side: Side) {
	return function Board(props: BoardProps) {
		const { position, marks = [], onAct } = props;
		const rows = rowsOf(position);
		const wall = findWall(rows, side);
		const before = useBefore(position, props.previous);
		const [picked, pick] = useState<{ slot?: string; from?: string; to?: string }>({});
		const [drag, setDrag] = useState<{ from: string; x: number; y: number }>();
		const svg = useRef<SVGSVGElement>(null);
		const layout = layoutOf(useNarrow()), { left, top, size: [width, height] } = layout;
		// turn mirrors a coordinate if the player Second sits at the bottom.
		const turned = props.reader === "second", turn = (n: number) => (turned ? 4 - n : n);
		useLayoutEffect(() => pick({}), [position]); // clears the choice before the next tap
		useKeys({ Escape: () => pick({}) });
		useLeast(svg);

		// Each piece and card has an identity that persists from one position to the next.
		const kept = useRef<{ position?: string; pieces?: Piece[]; cards?: number[] }>({});
		if (kept.current.position !== position.position) {
			const follows = before && kept.current.position === before.position;
			const pieces = piecesAfter(side, rows, follows ? kept.current.pieces : undefined,
				follows ? position.move : undefined);
			kept.current = { position: position.position, pieces,
				cards: cardIds(side, position, follows ? before : undefined, kept.current.cards) };
		}

		const you = position.to_move === "first" ? 0 : 1;
		const moves = onAct ? position.legal.map(side.split) : [];
		const fits = (m: Move) => m.from && (!picked.slot || m.slot === picked.slot);
		const wallMoves = new Map<string, string>(); // actions that move the wall, by target cell
		for (const m of moves) {
			if (m.wall && wall) wallMoves.set(side.cell(wall[0] + steps[m.wall][0], wall[1] + steps[m.wall][1]), m.action);
		}
		const act = (action: string) => {
			pick({});
			onAct?.(action);
		};
		const targets = (from?: string) => moves.filter((m) => from && fits(m) && m.from === from);

		// choose moves the chosen man to a cell. If both cards allow the move, it first asks for
		// the card.
		function choose(from: string, to: string) {
			const ways = targets(from).filter((m) => m.to === to);
			if (ways.length === 1) act(ways[0].action);
			else if (ways.length > 1) pick({ from, to });
		}
		function cellAction(name: string): (() => void) | undefined {
			if (wallMoves.has(name)) return () => act(wallMoves.get(name)!);
			if (targets(picked.from).some((m) => m.to === name)) return () => choose(picked.from!, name);
			if (moves.some((m) => fits(m) && m.from === name)) {
				return () => pick({ slot: picked.slot, from: picked.from === name ? undefined : name });
			}
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
				const x = turn(Math.floor((at.x - left) / S)), y = turn(Math.floor((at.y - top) / S));
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
		// how describes in words how the last move won the game.
		const how = (came: Position | undefined, won: 0 | 1) => {
			const taken = came && last?.to ? rowsOf(came)[cellOf(last.to)[1]][cellOf(last.to)[0]] : ".",
				[x, y] = last?.to ? cellOf(last.to) : [0, 0];
			return wonBy(sideName(won), !!side.men[taken]?.[1],
				!!side.men[rows[y][x]]?.[1] && x === 2 && y === (won ? 4 : 0));
		};
		const order = cards.map((_, i) => i).sort((a, b) => kept.current.cards![a] - kept.current.cards![b]);
		const others = moves.filter((m) => !m.from && !m.wall);
		const isBase = (x: number, y: number) => x === 2 && (y === 0 || y === 4);
		const opposite = (c: Card): Card => ({ ...c, owner: c.owner < 0 ? -1 : c.owner ? 0 : 1, turned: !c.turned });
		const seen = turned ? cards.map(opposite) : cards; // mirrored if Second sits at the bottom
		const places = seen.map((c) => layout.card(c, held[c.owner] = (held[c.owner] ?? -1) + 1));
		const cellOf = (name: string): Point => {
			for (let y = 0; y < 5; y++) for (let x = 0; x < 5; x++) if (side.cell(x, y) === name) return [x, y];
			return [0, 0];
		};
		const centre = ([x, y]: Point): Point => [left + (turn(x) + 0.5) * S, top + (turn(y) + 0.5) * S];
		const called = (action: string) => {
			const { slot } = side.split(action), card = cards.find((c) => c.owner === you && c.slot === slot);
			return card && cardName(card);
		};
		const path = (action: string): [Point, Point] | undefined => {
			const m = side.split(action);
			if (m.from && m.to) return [centre(cellOf(m.from)), centre(cellOf(m.to))];
			return m.wall && wall ? [centre(wall), centre([wall[0] + steps[m.wall][0], wall[1] + steps[m.wall][1]])]
				: undefined;
		};
		// came is the previous position.
		const came = props.history?.[props.history.length - 2] ?? props.previous;
		const won = position.outcome === "first" ? 0 : position.outcome === "second" ? 1 : undefined;
		// The ribbon that announces the winner covers one row of the board. It should hide few men
		// and neither end of the last move, and it should be near the middle.
		const hides = (y: number) =>
			rows[y].replaceAll(".", "").length +
			[last?.from, last?.to].filter((name) => name && cellOf(name)[1] === y).length;
		const clear = [2, 1, 3, 0, 4].reduce((best, y) => (hides(y) < hides(best) ? y : best));
		const used = came && last?.slot && side === classic ? side.cards(came).find((c) => c.slot === last.slot)
			: undefined;
		return <div>
			<svg ref={svg} class="board cards-board" viewBox={`0 0 ${width} ${height}`} role="group" aria-label={say("Board")}
				onKeyDown={arrows}>
				<rect class="mat" x={left - 12} y={top - 12} width={5 * S + 24} height={5 * S + 24} rx="14" />
				<rect class="mat-line" x={left - 6} y={top - 6} width={5 * S + 12} height={5 * S + 12} rx="9" />
				{Array.from({ length: 25 }, (_, i) => {
					const x = i % 5, y = Math.floor(i / 5), name = side.cell(x, y);
					const mark = rows[y][x];
					const does = cellAction(name);
					const target = does && (wallMoves.has(name) || targets(picked.from).some((m) => m.to === name));
					const what = mark === "." ? say("empty") : say(menNames(side)[mark]);
					return <g key={name} transform={`translate(${left + turn(x) * S},${top + turn(y) * S})`} data-cell={name}
						data-at={`${turn(x)},${turn(y)}`}
						class={`${does ? "can" : ""} ${picked.from === name ? "picked" : ""} ${target ? "target" : ""}`}
						aria-pressed={does && !target ? picked.from === name : undefined} onPointerDown={(e) => startDrag(e, name)}
						{...button(`${name}: ${what}${target ? `, ${say("go here")}` : ""}`, does)}>
						<rect class={`cell${lastCells.has(name) ? " last" : ""}`} x="1.5" y="1.5" width={S - 3} height={S - 3}
							rx="9" />
						{isBase(x, y) && <Temple owner={y ? 0 : 1} />}
					</g>;
				})}
				{[0, 1, 2, 3, 4].map((i) =>
					<g key={i} class="axis" aria-hidden>
						<text class="dim" x={left - 22} y={top + i * S + S / 2 + 5} text-anchor="middle">
							{side.cell(0, turn(i)).replace(side === classic ? /[A-E]/ : /\d/, "")}
						</text>
						<text class="dim" x={left + i * S + S / 2} y={top + 5 * S + 15} dy=".75em" text-anchor="middle">
							{side.cell(turn(i), 0).replace(side === classic ? /\d/ : /[a-e]/, "")}
						</text>
					</g>
				)}
				{last?.from &&
					(<LastMove from={centre(cellOf(last.from))} to={centre(cellOf(last.to!))} card={used && cardName(used)} />)}
				<g class="men" aria-hidden>
					{kept.current.pieces!.map((p) => {
						const dragged = drag && side.cell(p.x, p.y) === drag.from;
						const at = dragged ? [drag.x - S / 2, drag.y - S / 2] : [left + turn(p.x) * S, top + turn(p.y) * S];
						return <g key={p.id} class={dragged ? "dragged" : "glides"}
							style={{ transform: `translate(${at[0]}px,${at[1]}px)` }}>
							<Man side={side} mark={p.mark}
								fallen={won !== undefined && side.men[p.mark] && side.men[p.mark][0] !== won} />
						</g>;
					})}
				</g>
				<g class="dots" aria-hidden>
					{targets(picked.from).map((m) => {
						const [x, y] = cellOf(m.to!), [cx, cy] = centre([x, y]);
						return <circle key={m.action} cx={cx} cy={cy} r={rows[y][x] === "." ? 11 : 36}
							class={rows[y][x] === "." ? "dot" : "ring"} />;
					})}
					{[...wallMoves].map(([name, action]) => {
						const [x, y] = centre(cellOf(name));
						return action === "s" ? null
							: <rect key={action} x={x - 11} y={y - 11} width="22" height="22" rx="4" class="dot" />;
					})}
				</g>
				<Arrows marks={marks} path={path} card={called} />
				{order.map((i) => {
					const c = cards[i], [x, y] = places[i];
					const playable = onAct && c.owner === you &&
						(others.some((m) => m.slot === c.slot) ||
							moves.some((m) =>
								m.slot === c.slot && m.from && (!picked.from || m.from === picked.from) &&
								(!picked.to || m.to === picked.to)
							));
					const does = !playable ? undefined : () => {
						const ways = moves.filter((m) =>
							m.slot === c.slot && m.from === picked.from && m.to === picked.to && (m.from || others.length)
						);
						if (picked.to && ways.length === 1) {
							act(ways[0].action);
						} else if (others.length) {
							act(others.find((m) => m.slot === c.slot)!.action);
						} else pick({ ...picked, slot: picked.slot === c.slot ? undefined : c.slot, to: undefined });
					};
					const whose = c.owner < 0 ? say("in the middle") : say("held by {0}", sideName(c.owner));
					const on = c.owner === you && picked.slot === c.slot;
					return <g key={kept.current.cards![i]}
						class={`card glides ${does ? "can" : ""} ${on ? "picked" : ""} ${picked.to && does ? "asked" : ""}`}
						data-card={c.slot}
						style={{ transform: `translate(${x}px,${y}px) scale(${layout.scale})`, "--scale": layout.scale,
							"--most": `${nameSize(cardName(c))}px` }} aria-pressed={does ? on : undefined}
						{...button(`${cardName(c)}, ${whose}`, does)}>
						<g class="object">
							<CardPicture card={{ ...c, turned: seen[i].turned }} />
						</g>
					</g>;
				})}
				{picked.to &&
					(<g class="ask"
						transform={`translate(${left + 2.5 * S},${(you === 1) !== turned ? top - 1 : layout.ask + 3})`}>
						<rect x="-84" y="-14" width="168" height="28" rx="14" />
						<text text-anchor="middle" dominant-baseline="central">{say("with which card?")}</text>
					</g>)}
				{won !== undefined &&
					(<Win at={last?.to ? centre(cellOf(last.to)) : undefined} winner={won}
						ribbon={[left + 2.5 * S, top + (turn(clear) + 0.5) * S]} text={how(came, won)} />)}
			</svg>
			{others.length > 0 &&
				(<p class="row" role="note">
					{say("No man can move. Choose a card to give away.")}
					{others.map((m) =>
						<button key={m.action} class="can" onClick={() => act(m.action)}>
							{cardName(cards.find((c) => c.owner === you && c.slot === m.slot)!)}
						</button>
					)}
				</p>)}
			{wallMoves.size > 0 && <p class="row" role="note">
				{say("Move the wall, or")} <button class="can" onClick={() => act("s")}>{say("leave it where it is")}</button>
			</p>}
		</div>;
	};
}

function wordsOf(side: Side) {
	return (before: Position, action: string): string => {
		const m = side.split(action);
		const cards = side.cards(before);
		const you = before.to_move === "first" ? 0 : 1;
		const card = cards.find((c) => c.owner === you && c.slot === m.slot), name = card ? cardName(card) : "";
		if (m.wall) return say(wallWords[m.wall]);
		if (!m.from) return say("no man can move, gives card {0} away", name);
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

const wallWords: Record<string, string> = { u: phrase("wall up"), d: phrase("wall down"), l: phrase("wall left"),
	r: phrase("wall right"), s: phrase("wall stays") };

const sideName = (seat: number) => (seat === 0 ? say("Blue") : say("Red"));
const sideOf = (player: Player) => sideName(player === "first" ? 0 : 1);

export const onitama: GameUI = { side: sideOf, words: wordsOf(classic), Board: cardsBoard(classic),
	Setup: CardsSetup(classic) };

export const wallonitama: GameUI = { side: sideOf, words: wordsOf(walled), Board: cardsBoard(walled),
	Setup: CardsSetup(walled) };
