// Ô ăn quan: twelve fields in a ring. Two of them belong to the big stones, the kings (quan).
// Stones fly from field to field. Captured stones fly to the player who wins them, and then lie in
// front of this player.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Player, Position } from "../wire";
import { many, phrase, say } from "../words";
import type { BoardProps, GameUI, Mark } from "./board";
import { drawn, Figures, written } from "./figures";
import { layoutOf } from "./oanquan_layout";
import { Count, Paint, Slab, Stones, Tray } from "./oanquan_parts";
import { OanquanSetup } from "./oanquan_setup";
import { isKing, useTable, valueOf } from "./oanquan_table";
import { nameOf, sidesOf, sowing } from "./oanquan_words";
import { button, isNarrow, useBefore, useKeys, useLeast, useNarrow } from "./tools";

const fieldOf = (action: string) => parseInt(action, 10);

function Board(props: BoardProps) {
	const { position, marks = [] } = props;
	const before = useBefore(position, props.previous);
	const { table, skip } = useTable(position, before, props.history);
	const onAct = skip ? undefined : props.onAct;
	const [picked, pick] = useState<number>();
	const upright = useNarrow(), layout = layoutOf(upright), { size } = layout;
	const root = useRef<SVGSVGElement>(null);
	useLayoutEffect(() => pick(undefined), [position]); // clears the choice before the next tap
	useLeast(root);
	// letGo removes the arrows of a field and returns the focus to the field.
	const letGo = () => {
		if (root.current?.contains(document.activeElement)) {
			root.current.querySelector<SVGElement>(`[data-field="${picked}"]`)?.focus();
		}
		pick(undefined);
	};
	useKeys(skip ? { Escape: skip, " ": skip } : { Escape: letGo });
	useEffect(() => { // when a field is chosen, moves the focus to its arrows
		if (picked !== undefined && root.current?.contains(document.activeElement)) {
			root.current.querySelector<SVGElement>(".way")?.focus();
		}
	}, [picked]);

	const legal = onAct ? position.legal : [];
	const last = position.move && !skip ? fieldOf(position.move) : undefined;
	const seat = Number(position.position.split(" ")[2]) - 1;
	const centre = (f: number): [number, number] => {
		const [x, y, a, b] = layout.place(f);
		return [x + a / 2, y + b / 2];
	};
	return <div class="oanquan-stage">
		<svg ref={root} class={`board oanquan ${upright ? "upright" : ""}`} viewBox={`0 0 ${size[0]} ${size[1]}`}
			role="group" aria-label={say("Choose one of your fields, then a direction.")} onClick={skip}>
			<Paint />
			<Slab layout={layout} upright={upright} />
			{[0, 1].map((s) =>
				<Tray key={s} layout={layout} upright={upright} seat={s} won={table.won[s]}
					moves={s === seat && position.outcome === "ongoing"}
					gain={table.prize?.seat === s ? table.prize.stones : 0} />
			)}
			{Array.from({ length: 12 }, (_, f) => {
				const [x, y, a, b] = layout.place(f), n = table.fields[f], big = isKing(f) && table.big[f / 6];
				const can = legal.some((m) => fieldOf(m) === f);
				const label = `${nameOf(f)}: ${many(n, "{0} stone", "{0} stones")}${
					big ? `, ${say("with the big stone")}` : ""
				}`;
				const kind = last === f ? "last" : "";
				return <g key={f} data-field={f}
					class={`field ${can ? "can" : ""} ${picked === f ? "picked" : ""} ${
						table.flash === f && skip ? "flash" : ""
					}`} aria-expanded={can ? picked === f : undefined}
					{...button(label, can ? () => pick(picked === f ? undefined : f) : undefined)}>
					{isKing(f) ? <path class={`cell ${kind}`} d={layout.outline(f)} />
						: <rect class={`cell ${kind}`} x={x + 3} y={y + 3} width={a - 6} height={b - 6} rx="16" />}
				</g>;
			})}
			<g class="contents" aria-hidden>
				<Stones table={table} layout={layout} upright={upright} value={valueOf(position)} />
				{Array.from({ length: 12 },
					(_, f) => <Count key={f} layout={layout} upright={upright} f={f} n={table.fields[f]} />)}
			</g>
			<Ways marks={skip ? [] : marks} centre={centre} onward={layout.onward} place={layout.place} />
			{picked !== undefined && legal.filter((m) => fieldOf(m) === picked).map((m) => {
				const on = m.endsWith("+"), [dx, dy] = layout.onward(picked), sign = on ? 1 : -1, [cx, cy] = centre(picked);
				const angle = (Math.atan2(sign * dy, sign * dx) * 180) / Math.PI, off = upright ? 24 : 36;
				return <g key={m} class="way can" data-way={m} {...button(sowing(picked, on), () => {
					letGo();
					onAct!(m);
				})} transform={`translate(${cx + sign * dx * off},${cy + sign * dy * off}) rotate(${angle})`}>
					<circle r={upright ? 21 : 28} />
					<path d="M-11 -4.5H2V-11L14 0L2 11V4.5H-11Z" />
				</g>;
			})}
		</svg>
		{skip && <button class="skip-turn" onClick={skip}>{say("Skip")} »</button>}
	</div>;
}

// Ways draws the moves that a search prefers, as arrows along the ring of fields.
function Ways(
	{ marks, centre, onward, place }: { marks: Mark[]; centre(f: number): [number, number];
		onward(f: number): [number, number]; place(f: number): number[] },
) {
	return <g class="arrows" aria-hidden>
		{drawn(marks).map((m) => {
			const f = fieldOf(m.action), [cx, cy] = centre(f), [dx, dy] = onward(f), sign = m.action.endsWith("+") ? 1 : -1;
			const [, top, w, h] = place(f), long = dx ? w / 2 : h / 2, size = 6 + 8 * m.weight;
			const angle = (Math.atan2(sign * dy, sign * dx) * 180) / Math.PI;
			return <path key={m.action} class={m.best ? "best" : ""} opacity={0.4 + 0.5 * m.weight}
				transform={`translate(${cx},${f % 6 ? top + 15 : cy}) rotate(${angle})`}
				d={`M6 ${-size / 2}H${long - 8}V${-size}L${long + 12} 0L${long - 8} ${size}V${size / 2}H6Z`} />;
		})}
		{written(marks, (m) => m.action).map((m) => {
			const f = fieldOf(m.action), [cx, cy] = centre(f), [dx, dy] = onward(f), sign = m.action.endsWith("+") ? 1 : -1,
				[, , w, h] = place(f);
			return <Figures key={m.action} x={cx + (sign * dx * w) / 4} y={dy ? cy + (sign * dy * h) / 4 - 2 : cy - 8}
				mark={m} size={18} />;
		})}
	</g>;
}

export const oanquan: GameUI = { side: (player: Player) => sidesOf(isNarrow())[player === "first" ? 1 : 0],
	words: (before: Position, action: string) => {
		const f = fieldOf(action);
		const stones = before.position.split(" ")[0].split(",")[f];
		return sowing(`${f} (${stones})`, action.endsWith("+"));
	}, Board, Setup: OanquanSetup, variants: { "oanquan-traditional": phrase("traditional rules") } };
