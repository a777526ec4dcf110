// The viewer shows a game position by position, with the models' evaluations of each position.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Absent, useAnswer } from "../answer";
import { boardOf } from "../boards";
import { isNarrow } from "../boards/tools";
import { Record } from "../play/record";
import { linkOf } from "../play/table";
import { showStage, StepsBar } from "../play/toolbar";
import { extend, leaf, lineThrough, type Node } from "../play/tree";
import { gameOf, keptOpinions, opinionsOf, type Address, type Game, type Opinion } from "./api";
import { number, say } from "../words";
import { Curve } from "./curve";

const shownMoves = 8; // largest number of moves of a policy to show on the board and in the table

type Which = "search" | "network" | "none";

export function Viewer({ run, query, address }: { run: string; query: URLSearchParams; address: Address }) {
	const named = [query.get("source") ?? "selfplay", query.get("generation") ?? "", query.get("number") ?? ""] as const;
	const { answer: game, error } = useAnswer(() => gameOf(run, ...named), [run, ...named]);
	if (error || !game) {
		return <section class={error ? "viewer panel" : "viewer"}>
			<Absent error={error} />
		</section>;
	}
	const ply = Math.max(0, Math.min(game.positions.length - 1, Number(query.get("ply") ?? 0) || 0));
	// Stepping through a game adds no entries to the browser's history.
	const go = (to: number) =>
		location.replace(address({ ply: String(Math.max(0, Math.min(game.positions.length - 1, to))) }));
	return <Shown key={`${game.run}/${game.source}/${game.generation}/${game.number}`} game={game} ply={ply} go={go}
		close={address({ generation: "", number: "", ply: "" })} />;
}

function Shown({ game, ply, go, close }: { game: Game; ply: number; go(ply: number): void; close: string }) {
	const [opinions, note] = useOpinions(game);
	const [which, setWhich] = useState<Which>("search");
	const ui = boardOf(game.game);
	const last = game.positions.length - 1;
	const position = game.positions[ply];
	const line = useMemo(() => lineThrough(extend(leaf(game.positions[0]), game.positions.slice(1))), [game]);
	const now = opinions[ply];
	const marks = useMemo(() => {
		const policy = which !== "none" && now?.[which]?.policy;
		if (!policy) return [];
		return [...policy].sort((a, b) => b[1] - a[1]).slice(0, shownMoves).map(([action, weight], i) => ({ action, weight,
			best: i === 0 })
		);
	}, [now, which]);
	const step = (e: KeyboardEvent) => {
		const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[e.key];
		if (to === undefined || e.target instanceof HTMLSelectElement) return;
		e.preventDefault();
		go(to);
	};
	const who = (p: "first" | "second") => say("{0}: model {1}", ui.side(p), p === "first" ? game.first : game.second);
	return <section class={`viewer panel ${ui.men ?? ""}`} aria-label={say("Selected game")} onKeyDown={step}>
		<div class="row head">
			<h2>
				{game.source === "gate" ? say("Gate") : say("Self-play")},{" "}
				{say("generation {0}, game {1}", String(game.generation), String(game.number))}
			</h2>
			<a class="close" href={close}>{say("Close")}</a>
		</div>
		<p class="dim">
			{who("first")} – {who("second")}.{" "}
			{game.outcome === "draw" ? say("A draw after {0} actions.", last)
				: say("{1} won after {0} actions.", last, ui.side(game.outcome))}
		</p>
		<div class="columns">
			<div class="stand stage">
				{/* A disabled button would lose the focus, and with it the arrow keys. */}
				<div class="row stepping" role="group" aria-label={say("Steps")}>
					<button onClick={() => go(0)} aria-disabled={ply === 0} aria-label={say("First position")}>«</button>
					<button onClick={() => go(ply - 1)} aria-disabled={ply === 0} aria-label={say("Previous move")}>‹</button>
					<span class="at" role="status">{say("{0} of {1}", ply, last)}</span>
					<button onClick={() => go(ply + 1)} aria-disabled={ply === last} aria-label={say("Next move")}>›</button>
					<button onClick={() => go(last)} aria-disabled={ply === last} aria-label={say("Last position")}>»</button>
				</div>
				<ui.Board position={position} previous={game.positions[ply - 1]} marks={marks}
					history={game.positions.slice(0, ply + 1)} />
				<p class="row further">
					<a class="analyse" href={analysis(game, line, ply)}>{say("Analyse")}</a>
					{ply < last && (<a class="watched" href={watching(game, ply)}>{say("This position across generations")}</a>)}
				</p>
			</div>
			<div class="told">
				<h3>{say("{0}: chance to win", ui.side("first"))}</h3>
				<Curve opinions={opinions} outcome={game.outcome} ply={ply} go={go}
					sides={[ui.side("first"), ui.side("second")]} />
				{note && <p class="dim" role="status">{note}</p>}
				<h3>
					{say("Policy")}
					<label>
						{say("Show on the board")}{" "}
						<select value={which} onChange={(e) => setWhich(e.currentTarget.value as Which)}>
							<option value="search">{say("search policy")}</option>
							<option value="network">{say("network policy")}</option>
							<option value="none">{say("nothing")}</option>
						</select>
					</label>
				</h3>
				{ply < last
					? <Policy opinion={now} played={game.positions[ply + 1].move!} words={(a) => ui.words(position, a)} />
					: <p class="dim">{say("The game is over.")}</p>}
				<h3>{say("Moves")}</h3>
				<Record game={{ root: line[0], line, at: ply }} ui={ui} table={{ goTo: (node) => {
					go(line.indexOf(node));
					if (isNarrow()) showStage();
				} }} />
			</div>
		</div>
		<StepsBar game={{ positions: game.positions, at: ply }} ui={ui} go={go} />
	</section>;
}

// analysis returns the address that opens the game on the page for analysis, with the model of the
// side to move.
function analysis(game: Game, line: Node[], ply: number): string {
	const model = game.positions[ply].to_move === "first" ? game.first : game.second;
	return `${linkOf({ root: line[0], line, at: ply })}${
		model === "uniform" ? "" : `&model=${encodeURIComponent(`${game.run}/${model}`)}`
	}`;
}

// watching returns the address of the page that shows how all generations evaluate a position of
// the game.
function watching(game: Game, ply: number): string {
	const { run, source, generation, number } = game;
	return `#watch?${new URLSearchParams({ run, position: game.positions[ply].position, of: run, source,
		played: String(generation), number: String(number), ply: String(ply) })}`;
}

// useOpinions returns the known evaluations of a game's positions, and a note if some are missing.
function useOpinions(game: Game): [Opinion[], string] {
	const [opinions, setOpinions] = useState(() => keptOpinions(game));
	const [note, setNote] = useState(() => say("The models evaluate the game again …"));
	useEffect(() => {
		let gone = false;
		opinionsOf(game).then((o) => !gone && (setOpinions(o), setNote("")),
			(e: Error) => !gone && setNote(say("The models could not evaluate the game: {0}", e.message)));
		return () => void (gone = true);
	}, []);
	return [opinions, note];
}

function Policy({ opinion, played, words }: { opinion?: Opinion; played: string; words(action: string): string }) {
	const search = opinion?.search?.policy, network = opinion?.network?.policy;
	const ranked = [...(search ?? network ?? new Map<string, number>([[played, 0]]))].sort((a, b) => b[1] - a[1]);
	const at = ranked.findIndex(([action]) => action === played);
	const rows = ranked.slice(0, shownMoves);
	if (at >= shownMoves || at < 0) rows.push([played, at < 0 ? 0 : ranked[at][1]]);
	return <table class="policy">
		<thead>
			<tr>
				<th scope="col">{say("Move")}</th>
				<th scope="col">{say("Search")}</th>
				<th scope="col">{say("Network")}</th>
			</tr>
		</thead>
		<tbody>
			{rows.map(([action]) =>
				<tr key={action} class={action === played ? "played" : ""}>
					<th scope="row">{words(action)}{action === played && <small>{" "}{say("played")}</small>}</th>
					<Share p={search && (search.get(action) ?? 0)} />
					<Share p={network && (network.get(action) ?? 0)} />
				</tr>
			)}
		</tbody>
	</table>;
}

function Share({ p }: { p?: number }) {
	return <td>
		{p === undefined ? "–" : <>
			<meter min={0} max={1} value={p} aria-hidden /> {number(100 * p, p < 0.0995 ? 1 : 0)} %
		</>}
	</td>;
}
