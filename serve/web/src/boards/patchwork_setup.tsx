// The position editor of Patchwork. Clicks change the quilts, the tokens and the circle of patches.
import { useRef, useState } from "preact/hooks";
import { say } from "../words";
import type { SetupProps } from "./board";
import { columns, seatsOf, sketchOf, type Cell, type Patch } from "./patches";
import { ButtonIcon, Cloth, Haberdashery, Shape, U } from "./patchwork_cloth";
import { about } from "./patchwork_market";
import { nameOf } from "./patchwork_quilt";
import { TimeTrack } from "./patchwork_track";
import { Mover, Palette, Stepper } from "./setup_tools";
import { arrows, button } from "./tools";

type Tool = "token" | "out";

export function PatchworkSetup({ text, position, change }: SetupProps) {
	const [tool, setTool] = useState<Tool>("token"), [token, setToken] = useState<"0" | "1">("0");
	const known = useRef(new Map<string, Patch>()), sketch = sketchOf(position);
	for (const p of sketch.circle) known.current.set(p.letter, p);
	const usable = /^\S+ \d+:\d+:\d+:\S+ \d+:\d+:\d+:\S+ [12] /.test(text);
	const parts = (usable ? text : position.position).split(" "), seats = seatsOf(parts.join(" "));
	const set = (i: number, value: string) => change(parts.map((p, n) => (n === i ? value : p)).join(" "));
	const setSeat = (s: number, field: number, value: string | number) =>
		set(1 + s, parts[1 + s].split(":").map((v, n) => (n === field ? String(value) : v)).join(":"));
	const flip = (s: number, x: number, y: number) =>
		setSeat(s, 3, seats[s].rows.map((row, j) =>
			parseInt(row.map((full, i) => (full !== (i === x && j === y) ? "1" : "0")).join(""), 2).toString(16)
		).join("/"));
	const circle = parts[0] === "-" ? [] : [...parts[0]],
		out = [...known.current.keys()].filter((l) => !circle.includes(l));
	const setCircle = (letters: string[]) => set(0, letters.join("") || "-");
	const clickPatch = (letter: string) => {
		const at = circle.indexOf(letter);
		setCircle(tool === "out" ? circle.filter((l) => l !== letter) : [...circle.slice(at), ...circle.slice(0, at)]);
	};
	const Chip = ({ letter, act, does }: { letter: string; act(): void; does: string }) => {
		const patch = known.current.get(letter);
		return <button type="button" class="can patch-chip" data-patch={letter}
			aria-label={`${patch ? about(patch) : letter}: ${does}`} title={patch && about(patch)} onClick={act}>
			{patch ? <Shape patch={patch} turn="A" unit={9} /> : letter}
		</button>;
	};
	return <div class="board patchwork editor">
		<Haberdashery />
		<Palette<Tool> label={say("Action of a click")} chosen={tool} choose={setTool}
			all={[{ value: "token", label: say("start the circle at a patch") }, { value: "out",
				label: say("remove a patch from the circle") }]} />
		<div class="market-chips" role="group" aria-label={say("the circle, from the patch after the token")}>
			{circle.map((l) =>
				<Chip key={l} letter={l} act={() => clickPatch(l)}
					does={tool === "out" ? say("remove a patch from the circle") : say("start the circle at a patch")} />
			)}
		</div>
		{out.length > 0 && <div class="market-chips out" role="group" aria-label={say("out of the circle")}>
			<span class="dim small">{say("out of the circle")}</span>
			{out.map((l) =>
				<Chip key={l} letter={l} act={() => setCircle([...circle, l])} does={say("put the patch back")} />
			)}
		</div>}
		<div class="two-quilts">
			{[0, 1].map((s) =>
				<section key={s}>
					<div class="row">
						<b class={s ? "second-name" : "first-name"}>{nameOf(s)}</b>
						<Stepper label={`${nameOf(s)}: ${say("buttons")}`} value={seats[s].buttons} most={999}
							set={(n) => setSeat(s, 1, n)} icon={<ButtonIcon />} />
						<Stepper label={`${nameOf(s)}: ${say("income")}`} value={seats[s].income} most={99}
							set={(n) => setSeat(s, 2, n)} icon="+" />
					</div>
					<svg class="quilt" viewBox={`0 0 ${9 * U} ${9 * U}`} role="group" aria-label={say("{0}'s quilt", nameOf(s))}
						onKeyDown={arrows}>
						<path class="squares"
							d={Array.from({ length: 81 },
								(_, i) => `M${(i % 9) * U + 2.5} ${Math.floor(i / 9) * U + 2.5}h${U - 5}v${U - 5}h-${U - 5}Z`).join(
									"",
								)} />
						<Cloth
							cells={seats[s].rows.flatMap((row, y) => row.flatMap((full, x) => (full ? [[x, y] as Cell] : [])))} />
						{seats[s].rows.map((row, y) =>
							row.map((full, x) =>
								<g key={`${x},${y}`} class="can" data-at={`${x},${y}`}
									{...button(`${columns[x]}${y + 1}: ${full ? say("covered") : say("empty")}`, () => flip(s, x, y))}>
									<rect class="cell" x={x * U + 2} y={y * U + 2} width={U - 4} height={U - 4} />
								</g>
							)
						)}
					</svg>
				</section>
			)}
		</div>
		<div class="track-row">
			<div>
				<Palette<"0" | "1"> label={say("Action of a click")} chosen={token} choose={setToken}
					all={[0, 1].map((s) => ({ value: String(s) as "0", label: say("the token of {0}", nameOf(s)), picture: <>
						<i class={`dot ${s ? "second" : "first"}`} aria-hidden /> {say("the token of {0}", nameOf(s))}
					</> }))} />
				<Mover names={[nameOf(0), nameOf(1)]} chosen={parts[3] === "2" ? 1 : 0} choose={(s) => set(3, String(s + 1))} />
				<label>
					<input type="checkbox" checked={parts[4] === "1"}
						onChange={(e) => set(4, e.currentTarget.checked ? "1" : "0")} />{" "}
					{say("must place a special patch")}
				</label>
				{parts[6] &&
					(<Palette label={say("the tile for a filled square of 7 by 7: 7 points")} chosen={parts[6]} choose={(v) =>
						set(6, v)}
						all={[{ value: "-", label: say("nobody has 7×7") }, { value: "1", label: nameOf(0) }, { value: "2",
							label: nameOf(1) }]} />)}
			</div>
			<TimeTrack sketch={sketch} times={seats.map((s) => s.time)} seat={parts[3] === "2" ? 1 : 0}
				put={(n) => setSeat(Number(token), 0, n)} />
		</div>
	</div>;
}
