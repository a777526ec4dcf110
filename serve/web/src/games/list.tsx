// The games of a run as small pictures. The list can be filtered and sorted, and shows one page at
// a time.
import { useEffect, useState } from "preact/hooks";
import { Absent } from "../answer";
import { boardOf } from "../boards";
import { phrase, say } from "../words";
import { listOf, type Address, type GameList } from "./api";
import { GameCard } from "./card";

const size = 24; // number of games on a page

/** One entry of a menu that filters or sorts the games. keys are the parameters of the address. */
interface Choice {
	title: string;
	keys: Record<string, string>;
	// The entry works only for games from this source. If the property is missing, it works for all
	// games.
	of?: "selfplay" | "gate";
}

const orders: Choice[] = [
	{ title: phrase("in playing order"), keys: { sort: "", order: "" } },
	{ title: phrase("most surprising"), keys: { sort: "surprise", order: "down" }, of: "selfplay" },
	{ title: phrase("largest swing"), keys: { sort: "swing", order: "down" }, of: "selfplay" },
	{ title: phrase("longest"), keys: { sort: "length", order: "down" } },
	{ title: phrase("shortest"), keys: { sort: "length", order: "up" } },
];

// filters returns the entries of the menu that filters games. side returns the name of a player.
const filters = (
	side: (p: "first" | "second") => string,
): Choice[] => [{ title: say("all games"), keys: { winner: "", lost: "" } }, { title: say("candidate lost"),
	keys: { winner: "", lost: "candidate" }, of: "gate" }, { title: say("{0} won", side("first")),
	keys: { winner: "first", lost: "" } }, { title: say("{0} won", side("second")),
	keys: { winner: "second", lost: "" } }, { title: say("drawn"), keys: { winner: "draw", lost: "" } }];

interface Props {
	run: string;
	game: string; // name of the run's game
	runs: string[];
	query: URLSearchParams;
	address: Address;
}

export function List({ run, game, runs, query, address }: Props) {
	const [list, setList] = useState<GameList>();
	const [error, setError] = useState("");
	const source = query.get("source") ?? "selfplay";
	const offset = Number(query.get("offset") ?? 0);
	const asked: Record<string, string> = { source, generation: query.get("of") ?? (query.get("generation") || "newest"),
		offset: String(offset), limit: String(size), boards: "true" };
	for (const key of ["sort", "order", "winner", "lost"]) if (query.get(key)) asked[key] = query.get(key)!;
	const key = run + JSON.stringify(asked);
	useEffect(() => {
		let gone = false;
		setError("");
		// The server reads a long list of games in parts. Ask again until the list is complete.
		const ask = async () => {
			for (;;) {
				const l = await listOf(run, asked);
				if (gone) return;
				setList(l);
				if (l.generation !== "all" || l.read + l.left >= l.generations.length) return;
			}
		};
		ask().catch((e: Error) => !gone && (setError(e.message), setList(undefined)));
		return () => void (gone = true);
	}, [key]);
	const go = (changes: Record<string, string>) => (location.hash = address({ offset: "", ...changes }));
	const other = { of: "", number: "", generation: "", ply: "", sort: "", order: "", winner: "", lost: "" };
	return <section class="list panel" aria-label={say("List of games")}>
		<div class="row">
			{runs.length > 1 && <label>
				{say("Run")}{" "}
				<select value={run} onChange={(e) => go({ ...other, run: e.currentTarget.value })}>
					{runs.map((r) => <option key={r}>{r}</option>)}
				</select>
			</label>}
			<label>
				{say("Games of")}{" "}
				<select value={source} onChange={(e) => go({ ...other, source: e.currentTarget.value })}>
					<option value="selfplay">{say("self-play")}</option>
					<option value="gate">{say("gates")}</option>
				</select>
			</label>
			<label>
				{say("Generation")}{" "}
				<select value={list?.generation ?? ""} onChange={(e) => go({ of: e.currentTarget.value })}>
					{list?.generations.toReversed().map((g) => <option key={g} value={String(g)}>{g}</option>)}
					{list && list.generations.length > 0 && <option value="all">{say("all")}</option>}
				</select>
			</label>
		</div>
		<Chips label={say("Sort by")} choices={orders.map((c) => ({ ...c, title: say(c.title) }))} source={source}
			query={query} address={address} />
		<Chips label={say("Filter")} choices={filters(boardOf(game).side)} source={source} query={query}
			address={address} />
		{!list && <Absent error={error} />}
		{list && (list.total === 0 ? <p class="empty">{nothing(source, asked)}</p> : <>
			<div class="cards">
				{list.games.map((g) =>
					<GameCard key={`${g.generation}/${g.number}`} g={g} game={game} named={list.generation === "all"}
						here={query.get("number") === String(g.number) && query.get("generation") === String(g.generation)}
						href={address({ source: g.source, generation: String(g.generation), number: String(g.number),
							ply: g.source === "gate" ? "" : String(g.turn) })} />
				)}
			</div>
			{source !== "gate" &&
				(<p class="dim small explained">
					{say(
						"Each picture shows the position after the largest swing. Swing is the largest change of the " +
							"chance to win from one position to the next. Surprise is the average distance between the " +
							"search's chance to win and the outcome.",
					)}
				</p>)}
			<Pages list={list} address={address} />
		</>)}
	</section>;
}

function nothing(source: string, asked: Record<string, string>): string {
	if (asked.winner || asked.lost) return say("No game matches the filter.");
	return source === "gate" ? say("There is no gate yet.")
		: say("There are no games yet. They appear when the run writes its first shard.");
}

function Chips(
	{ label, choices, source, query, address }: { label: string; choices: Choice[]; source: string;
		query: URLSearchParams; address: Address },
) {
	return <div class="chips" role="group" aria-label={label}>
		{choices.filter((c) => !c.of || c.of === source).map((c) =>
			<a key={c.title} href={address({ ...c.keys, offset: "" })} aria-current={Object.entries(c.keys).every(([k, v]) =>
					(query.get(k) ?? "") === v
				) ? "true" : undefined}>
				{c.title}
			</a>
		)}
	</div>;
}

function Pages({ list, address }: { list: GameList; address: Address }) {
	const last = Math.min(list.offset + size, list.total);
	const reading = list.generation === "all" && list.read + list.left < list.generations.length;
	return <p class="pages">
		{list.offset > 0 ? <a href={address({ offset: String(Math.max(0, list.offset - size)) })}>{say("previous")}</a>
			: <span>{say("previous")}</span>}
		<span>{say("{0} to {1} of {2}", list.offset + 1, last, list.total)}</span>
		{last < list.total ? <a href={address({ offset: String(list.offset + size) })}>{say("next")}</a>
			: <span>{say("next")}</span>}
		{reading && (<span role="status">{say("reading generation {0} of {1}", list.read, list.generations.length)}</span>)}
		{list.left > 0 && <span>{say("oldest generations left out: {0}", list.left)}</span>}
	</p>;
}
