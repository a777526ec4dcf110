// The page that shows one position through the generations of a run: how its value and its policy
// change while the network learns. The address contains the choices:
// #watch?run=…&position=…&generation=…&simulations=…. If the position comes from a game, the
// address also contains the game's source, its generation (played), its number, and the position's
// index (ply).
import { useEffect, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import { Absent, Failure, useAnswer } from "../answer";
import { boardOf } from "../boards";
import { watch, type Address, type Watched } from "../games/api";
import { Areas, Line } from "../games/evolution";
import { useRun } from "../games/run";
import { number, say } from "../words";

const shown = 7; // number of moves with their own colour
const searched = "100"; // simulations
const pace = 700; // milliseconds per generation

type Run = { run: string; game: string };

export default function Watch({ backend, query }: { backend: Backend; query: URLSearchParams }) {
	const { runs, run, address, absent } = useRun("watch", query), position = query.get("position");
	const [error, setError] = useState("");
	useEffect(() => { // if the address has no position, show the start of the game
		if (run && position === null) {
			backend.start(run.game, 1, true).then((p) => location.replace(address({ run: run.run, position: p.position })),
				(e: Error) => setError(e.message));
		}
	}, [run, position]);
	if (!run || position === null || error) return run ? <Absent error={error} /> : <>{absent}</>;
	return <Evolution run={run} runs={runs.filter((r) => r.game === run.game)} position={position} query={query}
		address={address} />;
}

interface Props {
	run: Run;
	runs: Run[]; // all runs of the game
	position: string;
	query: URLSearchParams;
	address: Address;
}

function Evolution({ run, runs, position, query, address }: Props) {
	const simulations = query.get("simulations") ?? "0";
	const { answer: watched, error } = useAnswer(
		() => watch(run.run, { game: run.game, position, simulations: Number(simulations) }),
		[run.run, position, simulations],
	);
	const change = (changes: Record<string, string>) => location.replace(address(changes));
	const ui = boardOf(run.game);
	const from = query.has("number") &&
		`#games?${new URLSearchParams({ run: query.get("of") ?? run.run, source: query.get("source") ?? "selfplay",
			generation: query.get("played") ?? "", number: query.get("number")!, ply: query.get("ply") ?? "0" })}`;
	return <div class="watch">
		<div class="row">
			<h1>{say("Position across generations")}</h1>
			{from && <a href={from}>{say("Back to the game")}</a>}
		</div>
		<div class="row tools">
			<label>
				{say("Models of")}{" "}
				<select value={run.run} onChange={(e) =>
					change({ run: e.currentTarget.value, of: query.get("of") ?? run.run, generation: "" })}>
					{runs.map((r) => <option key={r.run}>{r.run}</option>)}
				</select>
			</label>
			<div class="switch" role="group" aria-label={say("Evaluated by")}>
				{[["0", say("network only")], [searched, say("search with {0} simulations", Number(searched))]].map((
					[value, text],
				) =>
					<label key={value} class={simulations === value ? "on" : ""}>
						<input type="radio" name="judge" checked={simulations === value} onChange={() =>
							change({ simulations: value === "0" ? "" : value })} />
						{text}
					</label>
				)}
			</div>
		</div>
		<Failure error={error} />
		{!watched && !error && <p class="loading" role="status">{say("The models evaluate the position …")}</p>}
		{watched &&
			(<Growth watched={watched} named={query.get("generation")} choose={(g) => change({ generation: String(g) })}
				ui={ui} />)}
	</div>;
}

function Growth(
	{ watched: { position, points }, named, choose, ui }: { watched: Watched; named: string | null;
		choose(generation: number): void; ui: ReturnType<typeof boardOf> },
) {
	const [playing, setPlaying] = useState(false);
	const wanted = named === null ? points.at(-1)!.generation : Number(named);
	const at = points.reduce(
		(best, p, i) => (Math.abs(p.generation - wanted) < Math.abs(points[best].generation - wanted) ? i : best),
		0,
	);
	const go = (i: number) => choose(points[i].generation);
	useEffect(() => {
		if (!playing) return;
		if (at === points.length - 1) return setPlaying(false);
		const timer = setTimeout(() => go(at + 1), pace);
		return () => clearTimeout(timer);
	}, [playing, at]);
	const moves = likeliest(points);
	const now = points[at],
		of = (p: Watched["points"][number], move: string) => p.policy.find((w) => w.move === move)?.weight ?? 0;
	const win = (value: number) => (1 + value) / 2;
	const generations = points.map((p) => p.generation);
	const lines = moves.map((move, i) => ({ name: ui.words(position, move), colour: i,
		values: points.map((p) => of(p, move)) })
	);
	const marks = now.policy.slice(0, shown).map(({ move, weight }, i) => ({ action: move, weight, best: i === 0 }));
	return <div class="columns">
		<div class="stand">
			<ui.Board position={position as Position} marks={marks} />
			<div class="row through">
				<button class="primary"
					onClick={() => (playing ? setPlaying(false) : (at === points.length - 1 && go(0), setPlaying(true)))}>
					{playing ? say("Stop") : say("Play through")}
				</button>
				<input type="range" min={0} max={points.length - 1} value={at} aria-label={say("Generation")}
					aria-valuetext={say("generation {0}", String(now.generation))}
					onInput={(e) => (setPlaying(false), go(Number(e.currentTarget.value)))} />
				<output>{say("generation {0}", String(now.generation))}</output>
			</div>
		</div>
		<div class="told">
			<section class="panel" aria-labelledby="title-value">
				<h2 id="title-value">
					{say("{0}: chance to win", ui.side("first"))} <b class="share">{number(100 * win(now.value), 0)} %</b>
				</h2>
				<Line x={generations} values={points.map((p) => win(p.value))} at={at} go={go}
					label={say("Chance to win by generation")} />
			</section>
			<section class="panel" aria-labelledby="title-policy">
				<h2 id="title-policy">
					{say("Policy")} <small>{say("{0} to move", ui.side(position.to_move))}</small>
				</h2>
				<Areas x={generations} lines={lines} at={at} go={go} label={say("Policy by generation")} />
				<ol class="shares">
					{lines.map((l) =>
						<li key={l.name}>
							<i class={`dot colour-${l.colour}`} aria-hidden />
							{l.name} <b>{number(100 * l.values[at], 1)} %</b>
						</li>
					)}
					<li>
						<i class="dot rest" aria-hidden />
						{say("all other moves")}{" "}
						<b>{number(100 * Math.max(0, 1 - lines.reduce((sum, l) => sum + l.values[at], 0)), 1)} %</b>
					</li>
				</ol>
			</section>
		</div>
	</div>;
}

// likeliest returns the moves that have the largest policy in any generation. It sorts them by the
// policy of the last generation.
function likeliest(points: Watched["points"]): string[] {
	const most = new Map<string, number>();
	for (const p of points) {
		for (const { move, weight } of p.policy) most.set(move, Math.max(most.get(move) ?? 0, weight));
	}
	const some = [...most].sort((a, b) => b[1] - a[1]).slice(0, shown).map(([move]) => move);
	const last = new Map(points.at(-1)!.policy.map((w) => [w.move, w.weight]));
	return some.sort((a, b) => (last.get(b) ?? 0) - (last.get(a) ?? 0));
}
