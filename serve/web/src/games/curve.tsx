// A curve of First's winning chances in the course of a game. A click on the curve goes to the
// position at that point.
import { useState } from "preact/hooks";
import { percent } from "../play/panels";
import { say } from "../words";
import type { Listed, Opinion } from "./api";

interface Props {
	opinions: Opinion[];
	outcome: Listed["outcome"];
	ply: number;
	go(ply: number): void;
	sides: [string, string]; // names of the two players
}

const W = 400, H = 130, left = 4, right = 4, top = 6, bottom = 6;

export function Curve({ opinions, outcome, ply, go, sides }: Props) {
	const [over, setOver] = useState<number | null>(null);
	const last = Math.max(1, opinions.length);
	const x = (i: number) => left + ((W - left - right) * i) / last;
	const y = (v: number) => top + ((H - top - bottom) * (1 - v)) / 2;
	const end = { first: 1, second: -1, draw: 0 }[outcome];
	const path = (value: (o: Opinion) => number | undefined) => {
		let d = "";
		opinions.forEach((o, i) => {
			const v = value(o);
			if (v !== undefined) d += `${d ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
		});
		return d;
	};
	const search = path((o) => o.search?.value);
	const at = (e: MouseEvent) => {
		const box = (e.currentTarget as Element).getBoundingClientRect();
		const i = Math.round((((e.clientX - box.left) / box.width) * W - left) / ((W - left - right) / last));
		return Math.max(0, Math.min(last, i));
	};
	const shown = over ?? ply;
	const said = (v: number | undefined) => (v === undefined ? "–" : percent(v, "first"));
	return <div class="value-curve">
		<div class="plot">
			<span class="side first">{say("{0} wins", sides[0])}</span>
			<span class="side second">{say("{0} wins", sides[1])}</span>
			<svg viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img"
				aria-label={say("Chance to win in each position. The arrow keys step through the game.")}
				onClick={(e) => go(at(e))} onMouseMove={(e) => setOver(at(e))} onMouseLeave={() => setOver(null)}>
				<path class="axis" d={`M0 ${y(0)}H${W}`} />
				{search && <path class="area" d={`${search}L${x(last)} ${y(end)}V${y(0)}H${x(0)}Z`} />}
				<path class="network" d={path((o) => o.network?.value)} />
				<path class="search" d={search && `${search}L${x(last)} ${y(end)}`} />
				<path class="now" d={`M${x(ply)} 0V${H}`} />
				{over !== null && <path class="over" d={`M${x(over)} 0V${H}`} />}
			</svg>
		</div>
		<p class="values">
			<span class="at">{say("position {0}", shown)}</span>
			<span class="key">
				<i class="search" />
				{say("search")} <b>{shown === opinions.length ? said(end) : said(opinions[shown]?.search?.value)}</b>
			</span>
			<span class="key">
				<i class="network" />
				{say("network")} <b>{said(opinions[shown]?.network?.value)}</b>
			</span>
		</p>
	</div>;
}
