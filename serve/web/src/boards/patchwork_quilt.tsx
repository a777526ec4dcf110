// The quilts of Patchwork, and what their owners possess.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../wire";
import { say } from "../words";
import type { Mark } from "./board";
import { drawn, Figures, written } from "./figures";
import { bonusOf, cellsAt, columns, patchOf, placementOf, seatsOf, type Cell, type Seat, type Sewn } from "./patches";
import { ButtonIcon, Cloth, edge, U } from "./patchwork_cloth";
import { still } from "./tools";

export const nameOf = (seat: number) => (seat === 0 ? say("Blue") : say("Red"));

/** Draws a quilt: the known patches, and the other covered cells, whose patches are unknown. */
export function Quilt({ seat, sewn, last }: { seat: Seat; sewn: Sewn[]; last?: Cell[] }) {
	const known = new Set(sewn.flatMap((s) => s.cells.map(String)));
	const rest = seat.rows.flatMap((row, y) =>
		row.flatMap((full, x) => (full && !known.has(`${x},${y}`) ? [[x, y] as Cell] : []))
	);
	return <>
		<path class="squares"
			d={Array.from({ length: 81 },
				(_, i) => `M${(i % 9) * U + 2.5} ${Math.floor(i / 9) * U + 2.5}h${U - 5}v${U - 5}h-${U - 5}Z`).join("")} />
		{rest.length > 0 && <Cloth cells={rest} />}
		{sewn.map((s) =>
			<g key={s.patch.letter + s.cells[0]} class="sewn">
				<Cloth cells={s.cells} patch={s.patch} />
			</g>
		)}
		{last && <g class="last-patch">
			<path class="halo" d={edge(last, 0.02)} />
			<path d={edge(last, 0.02)} />
		</g>}
	</>;
}

// firstCell returns the cell in which the search results for a placement are written.
function firstCell(position: Position, { action }: Mark): Cell | undefined {
	const p = placementOf(action), patch = p && patchOf(position, p.letter);
	return p && (patch ? cellsAt(patch, p)[0] : [p.x, p.y]);
}

/** Highlights the placements that a search prefers. */
export function Heat({ position, marks }: { position: Position; marks: Mark[] }) {
	return <>
		{drawn(marks).map((m) => {
			const p = placementOf(m.action), patch = p && patchOf(position, p.letter);
			return patch
				? <path key={m.action} class={`heat-patch ${m.best ? "best" : ""}`}
					opacity={m.best ? 0.6 + 0.3 * m.weight : 0.15 + 0.6 * m.weight}
					d={cellsAt(patch, p).map(([x, y]) => `M${x * U + 4} ${y * U + 4}h${U - 8}v${U - 8}h-${U - 8}Z`).join("")} /> :
				null;
		})}
		{written(marks, (m) => firstCell(position, m)?.join()).map((m) => {
			const [x, y] = firstCell(position, m)!;
			return <Figures key={m.action} x={(x + 0.5) * U} y={(y + 0.4) * U} mark={m} />;
		})}
	</>;
}

/** Draws a patch at the place where the user holds it, and marks the cells that are in its way. */
export function Preview(
	{ seat, cells, patch, fits }: { seat: Seat; cells: Cell[]; patch: Parameters<typeof Cloth>[0]["patch"];
		fits: boolean },
) {
	return <g class={`preview ${fits ? "fits" : "clashes"}`}>
		<Cloth cells={cells} patch={patch} />
		<path class="tint" d={cells.map(([x, y]) => `M${x * U} ${y * U}h${U}v${U}h-${U}Z`).join("")} />
		<path class="rim" d={edge(cells, 0)} />
		{cells.filter(([x, y]) => seat.rows[y]?.[x]).map(([x, y]) =>
			<path key={`${x},${y}`} class="cross" d={`M${x * U + 10} ${y * U + 10}l20 20m0 -20l-20 20`} />
		)}
	</g>;
}

/**
 * Shows what a player has: buttons, income, the score if the game ended now, and possibly the 7×7
 * tile.
 */
export function Purse({ position, seat, counted }: { position: Position; seat: number; counted: Counted }) {
	const { shown, now, gain } = counted, bonus = bonusOf(position);
	const score = String(position.score?.[seat] ?? "").replace("-", "−");
	return <p class="purse">
		<b class={seat ? "second-name" : "first-name"}>{nameOf(seat)}</b>
		<span title={say("buttons")}>
			<ButtonIcon />
			<strong>{shown[seat].buttons}</strong>
			{gain[seat] !== 0 &&
				(<em key={position.position} class={gain[seat] > 0 ? "gain" : "gain loss"}>
					{gain[seat] > 0 ? "+" : "−"}
					{Math.abs(gain[seat])}
				</em>)}
			<span class="hidden">{" "}{say("buttons")}</span>
		</span>
		<span title={say("income")}>
			+{now[seat].income} <span class="wide dim">{say("income")}</span>
		</span>
		{bonus?.holder === seat &&
			(<span class="seven" title={say("the tile for a filled square of 7 by 7: 7 points")}>7×7</span>)}
		<span class="points" title={say("score if the game ended now")}>
			{score} <span class="wide dim">{say("points")}</span>
		</span>
	</p>;
}

export interface Counted {
	now: Seat[];
	shown: Seat[];
	gain: number[];
}

/**
 * Returns two states of both seats: now is the current state, and shown is the state to display.
 * After a move, the times and buttons in shown change step by step until they equal now.
 */
export function useCounting(position: Position, before: Position | undefined): Counted {
	const now = seatsOf(position.position), old = before && !still() ? seatsOf(before.position) : undefined;
	const [shown, show] = useState<{ at: Position; seats: Seat[] }>();
	const gain = useRef<{ at?: Position; by: number[] }>({ by: [0, 0] });
	if (gain.current.at !== position) {
		gain.current = { at: position, by: old ? now.map((s, i) => s.buttons - old[i].buttons) : [0, 0] };
	}
	useEffect(() => {
		if (!old) return;
		let timer = 0, seats = old;
		const next = () => {
			const toward = (a: number, b: number) => (a === b ? a : a + Math.sign(b - a));
			seats = seats.map((s, i) => ({ ...s, time: toward(s.time, now[i].time),
				buttons: toward(s.buttons, now[i].buttons) })
			);
			show({ at: position, seats });
			if (seats.some((s, i) => s.time !== now[i].time || s.buttons !== now[i].buttons)) timer = setTimeout(next, 90);
		};
		timer = setTimeout(next, 90);
		return () => clearTimeout(timer);
	}, [position]);
	return { now, shown: shown?.at === position ? shown.seats : old ?? now, gain: gain.current.by };
}

/** Returns the name of a cell, such as B3. */
export const cellName = ([x, y]: Cell) => `${columns[x]}${y + 1}`;
