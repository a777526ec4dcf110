// The dashboard of some runs, either live or in a report.
import { useMemo, useState } from "preact/hooks";
import { many, phrase, say } from "../words";
import { ChartPanel } from "./chart";
import { coloured, colours, places, type Common } from "./data";
import { GenerationPanel } from "./generation";
import { useKeptRuns } from "./kept";
import type { Connection, Run } from "./live";
import { charts, format, unitOf } from "./metrics";
import { RunsTable } from "./runs";
import { AtWork } from "./stage";
import { large, Strength } from "./strength";
import { useView, type View } from "./view";
import { NoRun } from "./empty";
import { WorkersTable } from "./workers";

interface Props {
	runs: Run[];
	connection?: Connection; // missing in a report, which never changes
}

const mostAtWork = 3; // largest number of runs whose stage is shown above the charts

export function Dashboard({ runs: listed, connection }: Props) {
	const [view, change] = useView();
	const kept = useKeptRuns();
	const { game, games, missing } = gameOf(listed, view);
	const runs = useMemo(() => listed.filter((r) => r.game === game || r.game === ""), [listed, game]);
	const [hover, setHover] = useState<number | null>(null);
	const [lit, light] = useState<string>();
	const wanted = view.show ?? usual(runs, (run) => !!kept.of(run).pin).map((r) => r.run);
	const key = wanted.join("\n");
	const ticked = useMemo(() => coloured(runs.filter((r) => r.game && wanted.includes(r.run)), runs), [runs, key]);
	const shown = useMemo(() => ticked.filter((s) => s.run.generations.length > 0), [ticked]);
	const x = useMemo(() => places(shown, view.axis), [shown, view.axis]);
	if (!runs.length) return <NoRun />;
	const common: Common = { runs: shown, x, view, lit, hover: hover !== null && hover < x.length ? hover : null,
		onHover: setHover, onZoom: (zoom) => change({ zoom }),
		onChoose: (run, generation) => change({ point: { run, generation } }) };
	const chosen = view.point &&
		runs.find((r) => r.run === view.point!.run && r.generations.some((g) => g.generation === view.point!.generation));
	return <div class="dashboard">
		<div class="top">
			<h1>{runs.length === 1 ? runs[0].run : say("Runs")}</h1>
			{connection &&
				(<State
					connection={connection === "lost" && runs.every((r) => r.stage.name === "complete") ? "ended"
						: connection} />)}
			{games.length > 1 && <label class="game">
				{say("Game")}{" "}
				<select value={game} onChange={(e) =>
					change({ game: e.currentTarget.value, run: undefined, show: undefined, zoom: undefined, point: undefined })}>
					{games.map((g) =>
						<option key={g} value={g}>
							{g} ({listed.filter((r) => r.game === g).length})
						</option>
					)}
				</select>
			</label>}
		</div>
		{missing && <p class="error" role="alert">{missing}</p>}
		{connection &&
			runs.filter((r) => r.game && r.stage.name !== "complete").slice(0, mostAtWork).map((r) =>
				<AtWork key={r.run} run={r} />
			)}
		{x.length > 0 ? <div class={`story${chosen ? " chosen" : ""}`}>
			<Strength common={common} change={change} />
			{chosen &&
				(<GenerationPanel run={chosen} generation={view.point!.generation} live={!!connection} choose={(g) =>
					change({ point: g === undefined ? undefined : { run: chosen.run, generation: g } })} />)}
		</div> :
			(<p class="empty">
				{runs.some((run) => run.generations.length > 0) ?
					say("All runs are hidden. Tick a run in the table to show it.")
					: say(
						"No generation is complete yet. The charts appear when the run has played its first games, " +
							"trained a candidate and finished its gate.",
					)}
			</p>)}
		<RunsTable all={runs} shown={ticked} view={view} live={!!connection} kept={kept} change={change} light={light} />
		{connection && runs.map((run) => <WorkersTable key={run.run} run={run} />)}
		{x.length > 0 && <>
			<details class="more" open={view.more} onToggle={(e) =>
				e.currentTarget.open !== view.more && change({ more: e.currentTarget.open })}>
				<summary>{say("All charts")}</summary>
				{view.more &&
					(<div class="charts">
						{charts.filter((c) => c !== large(shown)).map((c) => <ChartPanel key={c.id} chart={c} common={common} />)}
					</div>)}
			</details>
			<Settings runs={shown.map((s) => s.run)} />
			<Generations runs={shown.map((s) => s.run)} />
		</>}
	</div>;
}

// usual returns the runs to show if the user has not chosen any: pinned runs and the newest ones,
// but no more runs than there are colours.
function usual(runs: Run[], pinned: (run: Run) => boolean): Run[] {
	const time = (run: Run) => Date.parse(run.stage.written ?? "") || 0;
	const some = runs.filter((r) => r.game).toSorted((a, b) => Number(pinned(b)) - Number(pinned(a)) || time(b) - time(a))
		.slice(0, colours);
	return runs.filter((r) => some.includes(r));
}

// gameOf chooses the game whose runs the page shows. It never mixes games, because their Elo
// ratings and losses cannot be compared. The address names a game or one of its runs, as in
// #runs?game=onitama or #runs?run=mine. The default is the game of the first run. If the
// configuration of a run cannot be read, its game is unknown, and the page always lists it.
function gameOf(runs: Run[], view: View) {
	const games = [...new Set(runs.map((r) => r.game))].filter((g) => g !== "");
	const named = runs.find((r) => r.run === view.run), game = view.game ?? named?.game;
	const known = game !== undefined && games.includes(game);
	return { games, game: known ? game : games[0],
		missing: known || named ? ""
			: game !== undefined ? say("There is no run of the game {0} here.", game)
			: view.run !== undefined ? say("There is no run {0} here.", view.run) : "" };
}

// State shows the state of the connection. If all runs are complete and the server no longer
// answers, the server has exited normally: "dojo train --serve" exits when its run is complete.
function State({ connection }: { connection: Connection | "ended" }) {
	const text =
		{ connecting: phrase("connecting …"), live: phrase("live"), lost: phrase("connection lost, reconnecting …"),
			ended: phrase("runs complete, server stopped") }[connection];
	return <span class={`state ${connection}`} role="status">{say(text)}</span>;
}

// Settings lists the settings of the runs. If there are several runs, it begins with the settings
// in which they differ.
function Settings({ runs }: { runs: Run[] }) {
	const columns = runs.map((r) => new Map(flat(r.config)));
	const keys = [...new Set(columns.flatMap((c) => [...c.keys()]))];
	const differs = (key: string) => columns.some((c) => c.get(key) !== columns[0].get(key));
	const sorted = [...keys.filter(differs), ...keys.filter((k) => !differs(k))];
	return <details class="generations panel">
		<summary>
			{say("Settings")}
			{runs.length > 1 && `: ${many(keys.filter(differs).length, "{0} differs", "{0} differ")}`}
		</summary>
		<div class="scroll" tabIndex={0} role="region" aria-label={say("Settings")}>
			<table>
				<thead>
					<tr>
						<th scope="col">{say("setting")}</th>
						{runs.map((r) => <th scope="col" key={r.run}>{r.run}</th>)}
					</tr>
				</thead>
				<tbody>
					{sorted.map((key) =>
						<tr key={key} class={differs(key) ? "differs" : ""}>
							<th scope="row">{key}</th>
							{columns.map((c, i) => <td key={i}>{c.get(key) ?? "–"}</td>)}
						</tr>
					)}
				</tbody>
			</table>
		</div>
	</details>;
}

// flat lists settings with their full names, such as mcts.simulations.
function flat(config: unknown, above = ""): [string, string][] {
	if (typeof config !== "object" || config === null) return [[above, String(config)]];
	return Object.entries(config).flatMap(([key, value]) => flat(value, above ? `${above}.${key}` : key));
}

// Generations shows the values of one chosen run as a table of numbers.
function Generations({ runs }: { runs: Run[] }) {
	const [open, setOpen] = useState(false);
	const [id, setID] = useState("");
	const run = runs.find((r) => r.run === id) ?? runs[0];
	return <details class="generations panel" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
		<summary>{say("Table of generations")}</summary>
		{open && runs.length > 1 && <label class="which">
			{say("Run")}{" "}
			<select value={run.run} onChange={(e) => setID(e.currentTarget.value)}>
				{runs.map((r) => <option key={r.run}>{r.run}</option>)}
			</select>
		</label>}
		{open && <Numbers run={run} />}
	</details>;
}

function Numbers({ run }: { run: Run }) {
	const columns = charts.flatMap((chart) => chart.lines.map((line) => ({ chart, line }))).filter(({ line }) =>
		run.generations.some((g) => line.value(g, run) != null)
	);
	return <div class="scroll" tabIndex={0} role="region" aria-label={say("Table of generations")}>
		<table>
			<thead>
				<tr>
					<th scope="col">{say("generation")}</th>
					<th scope="col">{say("gate")}</th>
					{columns.map(({ chart, line }) =>
						<th scope="col" key={chart.id + line.name}>
							{say(chart.title)}
							{chart.lines.length > 1 && `, ${say(line.name)}`}
							{chart.unit && <small>{" "}{unitOf(chart)}</small>}
						</th>
					)}
				</tr>
			</thead>
			<tbody>
				{run.generations.map((g) =>
					<tr key={g.generation}>
						<th scope="row">{g.generation}</th>
						<td>
							+{g.gate.wins} −{g.gate.losses} ={g.gate.draws}, {g.gate.promoted ? say("promoted") : say("not promoted")}
						</td>
						{columns.map(({ chart, line }) => <td key={chart.id + line.name}>{format(line.value(g, run), chart)}</td>)}
					</tr>
				)}
			</tbody>
		</table>
	</div>;
}
