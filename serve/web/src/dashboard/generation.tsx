// The panel of a generation that the user has chosen in a chart: its results, its games and its
// bot.
import { useAnswer } from "../answer";
import { listOf } from "../games/api";
import { GameCard } from "../games/card";
import { say } from "../words";
import type { Run } from "./live";
import { charts, duration, format, gamesOf, quantity, worked } from "./metrics";

const most = 3; // number of games that are shown

interface Props {
	run: Run;
	generation: number;
	live: boolean; // whether there is a server, which can show the generation's games and bot
	choose(generation?: number): void;
}

export function GenerationPanel({ run, generation, live, choose }: Props) {
	const at = run.generations.findIndex((g) => g.generation === generation);
	const g = run.generations[at];
	if (!g) return null;
	const rung = run.ladder.rungs.find((r) => r.generation === generation);
	const name = String(generation).padStart(6, "0");
	const to = (page: string, query: Record<string, string>) => `#${page}?${new URLSearchParams(query)}`;
	return <section class="generation panel" aria-labelledby="title-generation">
		<div class="head">
			<button class="quiet" aria-label={say("Previous generation")} aria-disabled={at === 0}
				onClick={() => at > 0 && choose(run.generations[at - 1].generation)}>
				‹
			</button>
			<h2 id="title-generation">
				<span role="status">
					{run.run}
					<small>{say("generation {0}", String(generation))}</small>
				</span>
			</h2>
			<button class="quiet" aria-label={say("Next generation")} aria-disabled={at === run.generations.length - 1}
				onClick={() => at < run.generations.length - 1 && choose(run.generations[at + 1].generation)}>
				›
			</button>
			<button class="quiet" aria-label={say("Close")} onClick={() => choose()}>×</button>
		</div>
		<dl>
			{rung && <div>
				<dt>{say("Strength")}</dt>
				<dd>
					{format(rung.elo, charts[0])} <small>[{format(rung.low, charts[0])}, {format(rung.high, charts[0])}]</small>
				</dd>
			</div>}
			<div>
				<dt>{say("Gate")}</dt>
				<dd>
					+{g.gate.wins} −{g.gate.losses} ={g.gate.draws}{" "}
					<small>{g.gate.promoted ? say("promoted") : say("not promoted")}</small>
				</dd>
			</div>
			<div>
				<dt>{say("Games played so far")}</dt>
				<dd>{quantity(gamesOf(run)[at], 0)}</dd>
			</div>
			<div>
				<dt>{say("Training time so far")}</dt>
				<dd>{duration(worked(run)[at])}</dd>
			</div>
		</dl>
		{live && <>
			<ul class="ways">
				<li>
					<a href={to("games", { run: run.run, of: String(generation) })}>{say("Self-play games")}</a>
				</li>
				<li>
					<a href={to("games", { run: run.run, source: "gate", of: String(generation) })}>{say("Gate games")}</a>
				</li>
				<li>
					<a href={to("play", { game: run.game, model: `${run.run}/${name}` })}>{say("Play against this bot")}</a>
				</li>
				<li>
					<a href={to("watch", { run: run.run, generation: String(generation) })}>
						{say("Position across generations")}
					</a>
				</li>
			</ul>
			<Surprises key={`${run.run}/${generation}`} run={run} generation={generation} />
		</>}
	</section>;
}

// Surprises shows the games of the generation whose outcomes surprised the searches most. The games
// of old generations may have been deleted.
function Surprises({ run, generation }: { run: Run; generation: number }) {
	const { answer } = useAnswer(
			() =>
				listOf(run.run, { generation: String(generation), sort: "surprise", order: "down", limit: String(most),
					boards: "true" }),
			[],
		), games = answer?.games ?? [];
	if (!games.length) return null;
	return <>
		<h3>{say("Most surprising games")}</h3>
		<div class="cards">
			{games.map((g) =>
				<GameCard key={g.number} g={g} game={run.game}
					href={`#games?${new URLSearchParams({ run: run.run, of: String(generation), generation: String(generation),
						number: String(g.number), ply: String(g.turn) })}`} />
			)}
		</div>
	</>;
}
