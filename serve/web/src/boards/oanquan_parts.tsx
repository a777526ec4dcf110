// The board of Ô ăn quan and its stones.
import { heap, rows, type Layout, type Point } from "./oanquan_layout";
import { say } from "../words";
import { isKing, useStones, type Table } from "./oanquan_table";
import { sidesOf } from "./oanquan_words";

const r = 12.5; // radius of a small stone

/** Defines the colours of stones and wood, to which drawings refer by id. */
export const Paint = () =>
	<defs>
		{[0, 1, 2, 3].map((n) =>
			<radialGradient key={n} id={`pebble-${n}`} cx="36%" cy="30%" r="78%">
				<stop class={`shine-${n}`} offset="0" />
				<stop class={`pebble-${n}`} offset="52%" />
				<stop class={`shade-${n}`} offset="1" />
			</radialGradient>
		)}
		<radialGradient id="quan" cx="36%" cy="28%" r="80%">
			<stop class="shine-quan" offset="0" />
			<stop class="quan" offset="48%" />
			<stop class="shade-quan" offset="1" />
		</radialGradient>
		<linearGradient id="slab" x1="0" y1="0" x2="0" y2="1">
			<stop class="slab-light" offset="0" />
			<stop class="slab" offset="1" />
		</linearGradient>
		<linearGradient id="hollow" x1="0" y1="0" x2="0" y2="1">
			<stop class="hollow-deep" offset="0" />
			<stop class="hollow" offset="22%" />
		</linearGradient>
	</defs>;

/** The wooden board, which is round at the ends. */
export function Slab({ layout: { board: [x, y, w, h], place }, upright }: { layout: Layout; upright: boolean }) {
	const end = upright ? place(0)[3] + 8 : place(0)[2] + 8;
	const d = upright
		? `M${x} ${y + end}A${w / 2} ${end} 0 0 1 ${x + w} ${y + end}V${y + h - end}A${w / 2} ${end} 0 0 1 ${x} ${
			y + h - end
		}Z`
		: `M${x + end} ${y}H${x + w - end}A${end} ${h / 2} 0 0 1 ${x + w - end} ${y + h}H${x + end}A${end} ${h / 2} 0 0 1 ${
			x + end
		} ${y}Z`;
	return <path class="slab" d={d} />;
}

/**
 * A tray with the stones that a player has won. In the position editor, the property moves is
 * undefined.
 */
export function Tray(
	{ layout, upright, seat, won, moves, gain = 0 }: { layout: Layout; upright: boolean; seat: number; won: number;
		moves?: boolean; gain?: number },
) {
	const [x, y, w, h] = layout.tray(seat), name = sidesOf(upright)[seat];
	return <g class={`winnings ${moves ? "to-move" : ""}`}>
		<rect class="tray" x={x} y={y} width={w} height={h} rx="14" />
		<text x={x + 14} y={y + (upright ? 22 : h / 2 - 8)}>
			{name} {upright && <tspan class="count" dx="4">{won}</tspan>}
			{moves !== undefined && <title>{say("Stones won by {0}", name)}</title>}
		</text>
		{!upright && <text class="count" x={x + 14} y={y + h / 2 + 26}>{won}</text>}
		{gain > 0 &&
			(<text key={gain} class="gained" x={upright ? x + w - 14 : x + 92} y={upright ? y + 22 : y + h / 2 + 24}
				text-anchor={upright ? "end" : "start"}>
				+{gain}
			</text>)}
	</g>;
}

/** Writes the number of stones in a field, and the number of the field. */
export function Count({ layout, upright, f, n }: { layout: Layout; upright: boolean; f: number; n: number }) {
	const [x, y, a, b] = layout.place(f), king = isKing(f);
	const at: [number, number] = king
		? (upright ? [x + a * 0.5, f ? y + b - 22 : y + 30] : [x + a * (f ? 0.44 : 0.56), y + b - 60])
		: upright ? [x + a - 24, y + b / 2] : [x + a - 26, y + b - 24];
	return <>
		<text class="count" x={at[0]} y={at[1]} text-anchor="middle" dominant-baseline="central">{n}</text>
		{!king &&
			(<text class="index" x={upright ? x + a - 24 : x + 16} y={upright ? y + b - 12 : y + b - 17}
				text-anchor={upright ? "middle" : "start"}>
				{f}
			</text>)}
	</>;
}

/** Draws all stones in their places. Each stone is one element that glides to its new place. */
export function Stones(
	{ table, layout, upright, value }: { table: Table; layout: Layout; upright: boolean; value: number },
) {
	const places = useStones(table, value);
	const size = upright ? 0.66 : 1; // scale of stones; smaller on a phone
	const lies = new Map<number, { at: Point; size: number; held?: boolean }>();
	for (const [place, ids] of Object.entries(places)) {
		const n = Number(place.slice(1));
		const points = place === "hand" ? (table.hand ? above(layout, table.hand.field, ids.length) : [])
			: place[0] === "f" ? heap(ids.length, layout.stones(n), r * size)
			: rows(ids.length, pileOf(layout, upright, n, table.kings[n].length), upright ? 15 : 23);
		const scale = place[0] === "w" ? Math.min(size, upright ? 0.52 : 0.8) : size;
		ids.forEach((id, i) =>
			lies.set(id, { at: points[i], size: place === "hand" ? scale * 1.25 : scale, held: place === "hand" })
		);
	}
	return <>
		{[0, 1].map((k) => {
			const owner = table.kings.findIndex((all) => all.includes(k));
			if (!table.big[k] && owner < 0) return null;
			const [x, y] = table.big[k] ? layout.king(6 * k) : wonKing(layout, upright, owner, table.kings[owner].indexOf(k));
			const scale = (table.big[k] ? 1 : 0.7) * (upright ? 0.72 : 1);
			return <g key={`big${k}`} class="stone glides" style={{ transform: `translate(${x}px,${y}px) scale(${scale})` }}>
				<ellipse class="quan" rx="27" ry="36" />
			</g>;
		})}
		{[...lies].sort((a, b) => a[0] - b[0]).map(([id, { at, size, held }]) =>
			<g key={id} class={`stone glides ${held ? "held" : ""}`}
				style={{ transform: `translate(${at[0].toFixed(1)}px,${at[1].toFixed(1)}px) scale(${size})` }}>
				<ellipse class="dan" rx={r * (0.92 + 0.14 * dice(id, 1))} ry={r * (0.8 + 0.14 * dice(id, 2))}
					transform={`rotate(${Math.round(180 * dice(id, 3))})`}
					style={{ fill: `url(#pebble-${Math.floor(4 * dice(id, 4))})` }} />
			</g>
		)}
	</>;
}

// dice returns a pseudo-random number from 0 to 1 that depends only on the id of a stone and on an
// index, which.
const dice = (id: number, which: number) => ((id * 7919 + which * 104729) % 997) / 997;

// above returns the positions of n stones held in a hand above a field.
function above(layout: Layout, f: number, n: number): Point[] {
	const [x, y, w, h] = layout.place(f);
	return heap(n, [x + w / 2 - 34, y + h / 2 - 44, 68, 60], r);
}

// pileOf returns the box for the small stones that a player has captured.
function pileOf(layout: Layout, upright: boolean, seat: number, kings: number): [number, number, number, number] {
	const [x, y, w, h] = layout.tray(seat), left = upright ? 10 + 30 * kings : 136 + 52 * kings;
	return upright ? [x + left, y + 28, w - left - 8, h - 34] : [x + left, y + 10, w - left - 14, h - 20];
}

function wonKing(layout: Layout, upright: boolean, seat: number, nth: number): Point {
	const [x, y, , h] = layout.tray(seat);
	return upright ? [x + 24 + 30 * nth, y + 46] : [x + 156 + 50 * nth, y + h / 2];
}
