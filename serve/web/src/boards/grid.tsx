// A board of cells, as engine.Gridder describes it. The name of an action is made of the names of
// cells. To choose an action, the user clicks its cells in order, or drags a piece from the first
// cell to the second.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../wire";
import { say } from "../words";
import type { BoardProps, Mark } from "./board";
import { drawn, Figures, written } from "./figures";
import { Frame, Hatch, holds, marked, Piece, placedIn, S, viewOf, type Cell, type Placed } from "./grid_parts";
import { arrows, button, follow, pointIn, useBefore, useKeys, useLeast } from "./tools";

export { GridPicture, sideName, type Cell } from "./grid_parts";

export interface Grid {
	rows: Cell[][];
	lines?: string[][];
}

export function gridOf(position: Position): Grid | undefined {
	const sketch = position.sketch as Partial<Grid> | undefined;
	return Array.isArray(sketch?.rows) ? (sketch as Grid) : undefined;
}

/**
 * Returns a function that finds the cells in the name of an action, in order. It tries longer names
 * first, because a1 is also the beginning of a10.
 */
export function pathsIn(grid: Grid): (action: string) => string[] {
	const all = new RegExp(
		grid.rows.flat().map((c) => c.name).sort((a, b) => b.length - a.length).map((n) => n.replace(/[^\w]/g, "\\$&"))
			.join("|"),
		"g",
	);
	return (action) => action.match(all) ?? [];
}

export function GridBoard(props: BoardProps) {
	const { position, marks = [], onAct } = props;
	const before = useBefore(position, props.previous);
	const [picked, pick] = useState<string[]>([]);
	const [drag, setDrag] = useState<{ x: number; y: number }>();
	const svg = useRef<SVGSVGElement>(null);
	useLayoutEffect(() => pick([]), [position]); // clears the choice before the next tap can come
	useLeast(svg);
	useKeys({ Escape: () => pick(picked.slice(0, -1)) });
	const given = gridOf(position)?.rows ?? [[]],
		rows = props.reader === "second" ? given.map((row) => row.toReversed()).toReversed() : given;
	const cells = new Map(rows.flatMap((row, y) => row.map((cell, x) => [cell.name, { cell, x, y }] as const)));
	const pathOf = pathsIn({ rows });
	const actions = position.legal.map((action) => ({ action, path: pathOf(action) }));
	const open = actions.filter((a) => picked.every((name, i) => a.path[i] === name));
	// If several actions consist of exactly the chosen cells, the user must then choose one of
	// them.
	const done = open.filter((a) => a.path.length === picked.length);
	const next = new Set(onAct ? open.flatMap((a) => a.path[picked.length] ?? []) : []),
		starts = new Set(onAct ? actions.flatMap((a) => a.path[0] ?? []) : []);
	const lines = gridOf(position)?.lines ?? [];
	const last = position.move ? pathOf(position.move) : [];

	// A piece keeps its identity from one position to the next, so that its move can be animated.
	const kept = useRef<{ position?: string; pieces: Placed[] }>({ pieces: [] });
	if (kept.current.position !== position.position) {
		kept.current = { position: position.position,
			pieces: placedIn(rows, before && kept.current.position === before.position ? kept.current.pieces : [], last) };
	}
	// If the piece on the first cell has moved to the second, it stays there while the user chooses
	// the rest of the action.
	const moved = picked.length > 1 && cells.get(picked[0])!.cell.owner ? picked[1] : undefined;
	const centre = (name: string): [number, number] => {
		const { x, y } = cells.get(name)!;
		return [(x + 0.5) * S, (y + 0.5) * S];
	};

	const choose = (from: string[], name: string) => {
		const path = [...from, name], rest = actions.filter((a) => path.every((n, i) => a.path[i] === n));
		if (!rest.length) return pick(starts.has(name) && name !== from[0] ? [name] : []);
		if (rest.length === 1 && rest[0].path.length === path.length) {
			pick([]);
			onAct!(rest[0].action);
			return;
		}
		pick(path);
	};
	const cellUnder = (m: PointerEvent) => {
		const at = pointIn(svg.current!, m);
		return rows[Math.floor(at.y / S)]?.[Math.floor(at.x / S)]?.name;
	};
	const startDrag = (e: PointerEvent, name: string) => {
		if (!starts.has(name) || !cells.get(name)!.cell.owner) return;
		follow(e, (m) => {
			if (!picked.length || picked[0] !== name || picked.length > 1) pick([name]);
			setDrag(pointIn(svg.current!, m));
		}, (m, went) => {
			setDrag(undefined);
			const to = cellUnder(m);
			if (went && to && to !== name) choose([name], to);
		});
	};
	const others = onAct ? (picked.length ? done : actions.filter((a) => !a.path.length)) : [];
	return <>
		<svg ref={svg} class="board grid-board" viewBox={viewOf(rows)} role="group" aria-label={say("Board")}
			onKeyDown={arrows}>
			<Frame rows={rows}>
				{[...cells].map(([name, { cell, x, y }]) => {
					const target = next.has(name), can = target || starts.has(name), chosen = picked.includes(name);
					return <g key={name} transform={`translate(${x * S},${y * S})`} data-cell={name} data-at={`${x},${y}`}
						class={`${can ? "can" : ""} ${chosen ? "picked" : ""} ${target && picked.length ? "target" : ""}`}
						onPointerDown={(e) => startDrag(e, name)}
						{...button(
							`${name}: ${holds(cell)}${marked(cell)}${
								target ? `, ${picked.length || !cell.owner ? say("go here") : say("can move")}` : ""
							}`,
							can ? () => choose(picked, name) : undefined,
						)}>
						<rect class={`cell ${(x + y) % 2 ? "odd" : ""} ${last.includes(name) ? "last" : ""}`} x="2" y="2"
							width={S - 4} height={S - 4} rx="8" />
						<Hatch {...cell} />
					</g>;
				})}
				{lines.length > 0 &&
					(<g class="lines" aria-hidden>
						{lines.map((l, i) => <path key={i} d={`M${l.map((name) => centre(name).join(" ")).join("L")}`} />)}
					</g>)}
				{last.length > 1 && <Way path={last.map(centre)} />}
				<g class="men" aria-hidden>
					{kept.current.pieces.map((p) => {
						const held = drag && p.cell.name === picked[0],
							at = held ? [drag.x, drag.y] : moved && p.cell.name === picked[0] ? centre(moved) : centre(p.cell.name);
						return <g key={p.id}
							class={`${held ? "dragged" : "glides"} ${moved && p.cell.name === picked[0] ? "ahead" : ""}`}
							style={{ transform: `translate(${at[0]}px,${at[1]}px)` }}>
							<Piece cell={p.cell} />
						</g>;
					})}
				</g>
				{!picked.length && <g class="starts" aria-hidden>
					{[...next].map((name) => {
						const { cell, x, y } = cells.get(name)!;
						return <g key={name} transform={`translate(${x * S},${y * S})`}>
							{["under", ""].map((c) => <path key={c} class={c} d={cell.owner || cell.piece ? corners : here} />)}
						</g>;
					})}
				</g>}
				{picked.length > 0 && <g class="dots" aria-hidden>
					{[...next].map((name) => {
						const [x, y] = centre(name), full = cells.get(name)!.cell;
						return (full.owner || full.piece) && !(moved && name === picked[0])
							? <circle key={name} class="ring" cx={x} cy={y} r="40" />
							: <circle key={name} class="dot" cx={x} cy={y} r="13" />;
					})}
				</g>}
				<Likes marks={marks} picked={picked} pathOf={pathOf} centre={centre} />
			</Frame>
		</svg>
		{(others.length > 0 || picked.length > 1) &&
			(<div class="row grid-rest">
				{picked.length > 1 && <button onClick={() => pick(picked.slice(0, -1))}>{say("Undo last cell")}</button>}
				{others.map((a) => <button key={a.action} class="can" onClick={() => onAct!(a.action)}>{a.action}</button>)}
			</div>)}
	</>;
}

// These paths mark the cells where a move can begin. A cell with a piece has marked corners, and an
// empty cell has a small ring.
const corners = "M8 30V8H30M70 8H92V30M92 70V92H70M30 92H8V70", here = "M39 50a11 11 0 1 0 22 0a11 11 0 1 0 -22 0";

// Way draws the last move, from cell to cell.
function Way({ path }: { path: [number, number][] }) {
	return <g class="way-back" aria-hidden>
		{path.slice(1).map((to, i) => <path key={i} d={arrow(path[i], to, i ? 4 : 7, 40)} />)}
	</g>;
}

// Likes draws the moves that a search prefers. An arrow leads to the next cell of an action. If an
// action has only one cell, a disc marks it.
function Likes(
	{ marks, picked, pathOf, centre }: { marks: Mark[]; picked: string[]; pathOf(action: string): string[];
		centre(name: string): [number, number] },
) {
	const open = marks.filter((m) => picked.every((name, i) => pathOf(m.action)[i] === name));
	return <g class="arrows" aria-hidden>
		{drawn(open).map((m) => {
			const [from, to] = pathOf(m.action).slice(Math.max(0, picked.length - 1));
			if (to) {
				return <path key={m.action} class={m.best ? "best" : ""} opacity={0.35 + 0.55 * m.weight}
					d={arrow(centre(from), centre(to), 6 + 11 * m.weight, 14)} />;
			}
			return from && !picked.length
				? <circle key={m.action} class={m.best ? "best" : ""} cx={centre(from)[0]} cy={centre(from)[1]}
					r={12 + 24 * m.weight} opacity={0.4 + 0.5 * m.weight} /> : null;
		})}
		{written(open, (m) => pathOf(m.action)[picked.length]).map((m) => {
			const [x, y] = centre(pathOf(m.action)[picked.length]);
			return <Figures key={m.action} x={x} y={y} mark={m} size={20} />;
		})}
	</g>;
}

// arrow returns the path of an arrow from cell a to cell b with the given thickness. The parameter
// before is the distance from its tip to the middle of cell b.
function arrow([a, b]: [number, number], [c, d]: [number, number], thick: number, before: number): string {
	const length = Math.hypot(c - a, d - b), [ux, uy] = [(c - a) / length, (d - b) / length], end = length - before,
		head = thick * 2.4;
	const at = (along: number, off: number) =>
		`${(a + ux * along - uy * off).toFixed(1)} ${(b + uy * along + ux * off).toFixed(1)}`;
	return `M${at(12, -thick / 2)}L${at(end - head, -thick / 2)}L${at(end - head, -head / 1.6)}L${at(end, 0)}L${
		at(end - head, head / 1.6)
	}L${at(end - head, thick / 2)}L${at(12, thick / 2)}Z`;
}
