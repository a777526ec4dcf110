// The position editor of Ô ăn quan. The total number of stones stays constant: stones that a click
// takes from a field go into a bag, and stones that a click adds come from the bag.
import { useRef, useState } from "preact/hooks";
import { many, say } from "../words";
import type { SetupProps } from "./board";
import { layoutOf } from "./oanquan_layout";
import { Count, Paint, Slab, Stones, Tray } from "./oanquan_parts";
import { isKing, read, valueOf } from "./oanquan_table";
import { nameOf, sidesOf } from "./oanquan_words";
import { Mover, Palette } from "./setup_tools";
import { button, useLeast, useNarrow } from "./tools";

type Tool = "1" | "5" | "-1" | "-all";

export function OanquanSetup({ text, position, change }: SetupProps) {
	const [tool, setTool] = useState<Tool>("-1");
	const upright = useNarrow(), layout = layoutOf(upright), sides = sidesOf(upright), value = valueOf(position);
	const svg = useRef<SVGSVGElement>(null);
	useLeast(svg);
	const usable = /^\d+(,\d+){11} -?\d+,-?\d+ [12]/.test(text);
	const parts = (usable ? text : position.position).split(" "), table = read(parts.join(" "));
	const { fields, won, big } = table,
		sum = (t: { fields: number[]; won: number[] }) => [...t.fields, ...t.won].reduce((a, b) => a + b);
	const bag = sum(read(position.position)) - sum(table); // stones that are not on the board yet
	const write = (f: number[], w: number[], kings = big, mover = parts[2]) =>
		change([f.join(","), w.join(","), mover, kings.map(Number).join(""), ...parts.slice(4)].join(" "));
	// step returns how many stones a click adds to a place with the given number of small stones.
	const step = (small: number) => (tool === "-all" ? -small : tool === "-1" ? -Math.min(1, small) : Number(tool));
	const clickField = (f: number) => {
		const small = fields[f] - (isKing(f) && big[f / 6] ? value : 0);
		write(fields.map((n, i) => (i === f ? n + step(small) : n)), won);
	};
	const clickWon = (s: number) => write(fields, won.map((n, i) => (i === s ? n + step(Math.max(0, n)) : n)));
	const flipKing = (k: number) =>
		write(fields.map((n, f) => (f === 6 * k ? Math.max(0, n + (big[k] ? -value : value)) : n)), won,
			big.map((b, i) => (i === k ? !b : b)));
	return <>
		<Palette<Tool> label={say("Action of a click")} chosen={tool} choose={setTool}
			all={[{ value: "-1", label: say("take a stone") }, { value: "-all", label: say("take all stones") }, { value: "1",
				label: say("put a stone") }, { value: "5", label: say("put five stones") }]} />
		<svg ref={svg} class={`board oanquan editor ${upright ? "upright" : ""}`}
			viewBox={`0 0 ${layout.size[0]} ${layout.size[1]}`} role="group" aria-label={say("Board")}>
			<Paint />
			<Slab layout={layout} upright={upright} />
			{[0, 1].map((s) =>
				<g key={s} class="can" data-won={s} {...button(`${sides[s]} ${won[s]}`, () => clickWon(s))}>
					<Tray layout={layout} upright={upright} seat={s} won={won[s]} />
				</g>
			)}
			{fields.map((n, f) => {
				const [x, y, a, b] = layout.place(f);
				return <g key={f} class="field can" data-field={f}
					{...button(`${nameOf(f)}: ${many(n, "{0} stone", "{0} stones")}`, () => clickField(f))}>
					{isKing(f) ? <path class="cell" d={layout.outline(f)} />
						: <rect class="cell" x={x + 3} y={y + 3} width={a - 6} height={b - 6} rx="16" />}
				</g>;
			})}
			<g class="contents" aria-hidden>
				<Stones table={table} layout={layout} upright={upright} value={value} />
				{fields.map((n, f) => <Count key={f} layout={layout} upright={upright} f={f} n={n} />)}
			</g>
			{[0, 1].map((k) => {
				const [x, y] = layout.king(6 * k), r = upright ? 26 : 38;
				return <g key={k} class={`can king-place ${big[k] ? "there" : ""}`} data-king={k}
					transform={`translate(${x},${y})`} aria-pressed={big[k]}
					{...button(`${nameOf(6 * k)} ${say("with the big stone")}`, () => flipKing(k))}>
					<ellipse rx={r * 0.8} ry={r} />
				</g>;
			})}
		</svg>
		<div class="row">
			<output class={`bag ${bag ? "open" : ""}`}>
				{bag >= 0 ? many(bag, "in the bag: {0} stone", "in the bag: {0} stones")
					: many(-bag, "{0} stone too many", "{0} stones too many")}
			</output>
			<Mover names={[sides[1], sides[0]]} chosen={parts[2] === "2" ? 0 : 1}
				choose={(s) => write(fields, won, big, s ? "1" : "2")} />
		</div>
	</>;
}
