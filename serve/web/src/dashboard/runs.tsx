// The table of runs. It can be sorted, and pinned runs come first. Each run has a checkbox, which
// shows it in the charts, and a note.
import { useState } from "preact/hooks";
import { phrase, say } from "../words";
import { Swatch } from "./chart";
import type { Shown } from "./data";
import type { useKeptRuns } from "./kept";
import type { Run } from "./live";
import { charts, duration, format, gamesOf, quantity, worked } from "./metrics";
import { named } from "../play/names";
import { Stage } from "./stage";
import type { View } from "./view";

interface Props {
	all: Run[];
	shown: Shown[];
	view: View;
	live: boolean;
	kept: ReturnType<typeof useKeptRuns>;
	change(changes: Partial<View>): void;
	light(run?: string): void; // highlights the curves of a run
}

const strength = (run: Run) => run.ladder.rungs.at(-1);

interface Column {
	id: string;
	title: string;
	of(run: Run): number | string | undefined; // the value by which runs are sorted
}

const columns: Column[] = [
	{ id: "run", title: phrase("Run"), of: (run) => run.run },
	{ id: "strength", title: phrase("Strength"), of: (run) => strength(run)?.elo },
	{ id: "generations", title: phrase("Generations"), of: (run) => run.generations.length },
	{ id: "games", title: phrase("Games"), of: (run) => gamesOf(run).at(-1) },
	{ id: "time", title: phrase("Time"), of: (run) => worked(run).at(-1) },
];

// order sorts runs by a column or, without a column, keeps the server's order. Pinned runs come
// first, and runs without a value last.
function order(runs: Run[], sort: string, pinned: (run: Run) => boolean): Run[] {
	const column = columns.find((c) => c.id === sort.replace("-", "")), down = sort.startsWith("-") ? -1 : 1;
	const by = (a: Run, b: Run) => {
		const x = column?.of(a), y = column?.of(b);
		if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
		return down * (x < y ? -1 : x > y ? 1 : 0);
	};
	return runs.toSorted((a, b) => Number(pinned(b)) - Number(pinned(a)) || by(a, b));
}

const searched = 9; // if there are at least this many runs, the table has a search field

export function RunsTable({ all, shown, view, live, kept, change, light }: Props) {
	const [find, setFind] = useState("");
	const sorted = order(all, view.sort, (run) => !!kept.of(run).pin);
	const listed = sorted.filter((run) =>
		`${run.run} ${kept.of(run).note ?? ""}`.toLowerCase().includes(find.toLowerCase())
	);
	const ids = shown.map((s) => s.run.run);
	const tick = (run: Run) =>
		change({ show: ids.includes(run.run) ? ids.filter((id) => id !== run.run) : [...ids, run.run] });
	const tickable = listed.filter((r) => r.game).map((r) => r.run);
	return <section class="runs-table panel" aria-labelledby="title-runs">
		<div class="head">
			<h2 id="title-runs">
				{say("Runs")} <small>{say("{0} of {1} shown", ids.length, all.length)}</small>
			</h2>
			{all.length >= searched &&
				(<input type="text" placeholder={say("Search by name or note")} aria-label={say("Search by name or note")}
					value={find} onInput={(e) => setFind(e.currentTarget.value)} />)}
			{all.length > 1 && <span class="row">
				<button class="quiet" onClick={() => change({ show: tickable })}>{say("Show all")}</button>
				<button class="quiet" onClick={() => change({ show: [] })}>{say("Hide all")}</button>
			</span>}
		</div>
		<div class="scroll" tabIndex={0} role="region" aria-labelledby="title-runs">
			<table>
				<thead>
					<tr>
						{columns.map((c) => <Heading key={c.id} column={c} sort={view.sort} change={change} />)}
						<th scope="col">{say("State")}</th>
						<th scope="col">{say("Notes")}</th>
						<th scope="col">
							<span class="hidden">{say("Pin")}</span>
						</th>
					</tr>
				</thead>
				<tbody onPointerLeave={() => light()}>
					{listed.map((run) =>
						<Row key={run.run} run={run} drawn={shown.find((s) => s.run === run)} alone={all.length === 1} live={live}
							kept={kept.of(run)} keep={(k) => kept.change(run, k)} tick={() => tick(run)} light={light} />
					)}
				</tbody>
			</table>
		</div>
		{!listed.length && <p class="dim">{say("No run matches the search.")}</p>}
	</section>;
}

// Heading sorts the table by its column. The first click sorts names from a to z, and numbers with
// the largest first.
function Heading({ column: { id, title }, sort, change }: { column: Column; sort: string; change: Props["change"] }) {
	const first = id === "run" ? id : `-${id}`, second = id === "run" ? "-run" : id;
	const here = sort === first || sort === second, up = here && !sort.startsWith("-");
	return <th scope="col" aria-sort={here ? (up ? "ascending" : "descending") : undefined}>
		<button class="quiet" onClick={() => change({ sort: sort === first ? second : sort === second ? "" : first })}>
			{say(title)}
			<span aria-hidden>{here ? (up ? " ▴" : " ▾") : ""}</span>
		</button>
	</th>;
}

interface RowProps {
	run: Run;
	drawn?: Shown;
	alone: boolean;
	live: boolean;
	kept: { pin?: boolean; note?: string };
	keep(changes: { pin?: boolean; note?: string }): void;
	tick(): void;
	light(run?: string): void;
}

function Row({ run, drawn, alone, live, kept, keep, tick, light }: RowProps) {
	const rung = strength(run), played = quantity(gamesOf(run).at(-1) ?? 0, 0);
	const name = (<>
		<span class="look">{drawn ? <Swatch shown={drawn} /> : <i class="dot off" aria-hidden />}</span>
		{run.run}
	</>);
	return <tr class={drawn ? "" : "off"} data-run={run.run} onPointerEnter={() => light(drawn && run.run)}>
		<th scope="row">
			{run.game && !alone ? <label>
				<input type="checkbox" checked={!!drawn} onChange={tick} />
				{name}
			</label> : <span class="name">{name}</span>}
			{run.game && <small class="dim">
				<span class="network" title={named(run.network)}>{named(run.network)}</span> ·{" "}
				{say("{0} simulations per move", run.simulations)} · {say("seed {0}", String(run.seed))}
			</small>}
		</th>
		{run.game ? <>
			<td>
				{rung ? <>
					<b>{format(rung.elo, charts[0])}</b>{" "}
					<small class="dim">[{format(rung.low, charts[0])}, {format(rung.high, charts[0])}]</small>
				</> : "–"}
			</td>
			<td>
				<span class="done">{run.generations.length}</span> <small class="dim">{say("of {0}", run.planned)}</small>
			</td>
			<td>
				{live && run.generations.length ? <a href={`#games?${new URLSearchParams({ run: run.run })}`}>
					{played}
					<span class="hidden">{" "}{say("Games of {0}", run.run)}</span>
				</a> : played}
			</td>
			<td>{run.generations.length ? duration(worked(run).at(-1)!) : "–"}</td>
			<td class="now">
				<Stage run={run} live={live} />
				{run.error && <span class="error" role="alert">{run.error}</span>}
			</td>
		</> : <td class="now" colSpan={5}>
			<span class="error" role="alert">{run.error}</span>
		</td>}
		<td class="note">
			<input type="text" maxLength={200} value={kept.note ?? ""} aria-label={say("Notes on {0}", run.run)}
				placeholder={say("add a note")} onChange={(e) => keep({ note: e.currentTarget.value.trim() })} />
		</td>
		<td>
			<button class="quiet pin" aria-pressed={!!kept.pin} aria-label={say("Pin {0} to the top", run.run)}
				title={say("Pin {0} to the top", run.run)} onClick={() => keep({ pin: !kept.pin })}>
				{kept.pin ? "★" : "☆"}
			</button>
		</td>
	</tr>;
}
