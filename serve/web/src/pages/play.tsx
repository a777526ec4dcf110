// The page on which a game is played, analysed, set up, saved and shared.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Analysis, Backend, Model, Move, Player, Position } from "../backend/backend";
import { boardOf, gamesOf, learnTitles, shortTitleOf, titleOf } from "../boards";
import { useKeys, useNarrow } from "../boards/tools";
import { download, useKept, useLine, whenShown } from "../play/hooks";
import { Curve, Review, RulesPanel, SetupPanel, ValueBar, type Editor } from "../play/panels";
import { AttemptPanel, useAttempt } from "../play/attempt";
import { named } from "../play/names";
import { BestLine, useBest, useEnds } from "../play/best";
import { Ranked } from "../play/ranked";
import { Record } from "../play/record";
import { keepFinding, keepGame, keepMistakes, keptFindings } from "../learn/store";
import { levels } from "../play/levels";
import { chosen, eloOf, findingOf, marksOf, mistakesOf, nextLevel, taskOf, toldOf, useSearch,
	type Finding } from "../play/search";
import { linkOf, useTable } from "../play/table";
import { Toolbar } from "../play/toolbar";
import type { Node } from "../play/tree";
import { many, phrase, say } from "../words";

interface Props {
	backend: Backend;
	query: URLSearchParams; // what stands behind ? in the address
}

export default function Play({ backend, query }: Props) {
	const [models, setModels] = useState<Model[]>();
	const [error, setError] = useState("");
	useEffect(() => {
		backend.models().then((all) => setModels(learnTitles(all)), (e: Error) => setError(e.message));
	}, []);
	if (error) return <p class="error" role="alert">{error}</p>;
	if (!models) return <p class="loading" role="status">{say("Loading …")}</p>;
	if (!models.length) return <p class="loading">{say("There is no model here to play with.")}</p>;
	return <Room backend={backend} query={query} models={models} />;
}

const nothing = new Map<string, Finding>(); // found so far

type Seats = { [P in Player]: "person" | "bot" };

function Room({ backend, query, models }: Props & { models: Model[] }) {
	const asked = query.get("model") ?? (query.has("run") ? `${query.get("run")}/best` : "");
	const games = useMemo(
		() =>
			gamesOf([...models.filter((m) => m.id === asked), ...models.filter((m) => m.run), ...models],
				backend.site.backend === "server"),
		[models],
	);
	const table = useTable(backend, query, games);
	const { game, now } = table;
	const ui = boardOf(now?.game ?? games[0]);
	const [mode, setMode] = useKept<"play" | "analyse">("sessionStorage", "dojo-mode",
		query.get("position") ? "analyse" : "play"); // a link opens for analysis
	const [seats, setSeats] = useKept<Seats>("localStorage", "dojo-seats", { first: "person", second: "bot" });
	const [ofTen, setLevel] = useKept("localStorage", "dojo-level-of-ten", 4),
		level = Math.min(Math.max(0, ofTen), levels.length - 1);
	const [adapt, setAdapt] = useKept("localStorage", "dojo-adapt", false);
	const [row, setRow] = useKept("localStorage", "dojo-row", 0); // games won in a row; negative: lost
	const [announce, setAnnounce] = useKept("localStorage", "dojo-announce", false);
	const [modelOf, setModelOf] = useKept<{ [game: string]: string }>("localStorage", "dojo-models", {});
	useEffect(() => { // before the first position comes
		const game = models.find((m) => m.id === asked)?.game ?? query.get("game");
		if (game && asked) setModelOf({ ...modelOf, [game]: asked });
	}, [query]);
	const [thinking, setThinking] = useState(true); // in mode analyse
	const [hinted, setHinted] = useState<Position>();
	const [review, setReview] = useState<number>();
	const [findings, setFindings] = useState(keptFindings);
	const [retried, retry] = useState<Position>(); // before a mistake, to find a better move
	const [turned, turn] = useState(false); // chances are told from the other side
	const [looked, look] = useState<{ at?: Position; move: Move }>();
	const line = looked?.at === now ? looked?.move : undefined;
	const [editor, edit] = useState<Editor>(); // the board is being set up
	const [notice, setNotice] = useState("");
	const bots = models.filter((m) => m.game === now?.game), kept = now && modelOf[now.game];
	// by now the server may have other models
	const model = kept && (kept === query.get("model") || bots.some((m) => m.id === kept)) ? kept : bots[0]?.id;
	// the best of a run changes, its id does not
	const judge = `${now?.game} ${model} ${models.find((m) => m.id === model)?.about}`;
	const found = findings.get(judge) ?? nothing;
	const known = bots.length > 0 || !!model; // some bot plays this game; the id of one in a browser may be empty

	const ongoing = now?.outcome === "ongoing";
	const botMoves = !!now && known && mode === "play" && ongoing && table.atEnd && seats[now.to_move] === "bot" &&
		review === undefined;
	const personMoves = !!now && ongoing && !botMoves && review === undefined;
	const since = useRef(0); // when the position came onto the board
	useLayoutEffect(() => {
		since.current = performance.now();
		setNotice("");
	}, [now]);

	// A game that a person has played to its end is kept, and so are the mistakes that a review of it finds.
	// Chances are told from the side of the person who plays alone, else from the first's, or the other way round.
	const reader: Player = (mode === "play" && seats.second === "person" && seats.first === "bot") === turned ? "first"
		: "second";
	const persons = (["first", "second"] as const).filter((p) => seats[p] === "person");
	useLayoutEffect(() => { // before anybody can leave the page
		if (!game || !now || ongoing || mode !== "play" || !table.atEnd || game.at === 0) return;
		if (!keepGame(game, persons)) return;
		if (backend.site.keeps) {
			backend.keep?.(now.game, game.positions[0].position, game.positions.slice(1).map((p) => p.move!)).catch(
				table.report,
			);
		}
		if (!adapt || persons.length !== 1 || now.outcome === "draw") return;
		const next = nextLevel(level, row, now.outcome === persons[0]);
		setRow(next.row);
		setLevel(next.level);
		if (next.level !== level) setNotice(say("The level is now {0}.", next.level + 1));
	}, [now]);
	const reviewedAll = () => {
		setReview(undefined);
		const n = game ? keepMistakes(game.positions, found, persons) : 0;
		if (n > 0) setNotice(say("Mistakes to learn from: {0}. See Learn.", n));
	};

	const keep = useCallback((p: Position, a: Analysis) =>
		setFindings((all) => {
			const old = all.get(judge) ?? nothing;
			if ((old.get(p.position)?.visits ?? 0) > a.visits || !a.moves.length) return all;
			const finding = findingOf(p, a);
			keepFinding(judge, p.position, finding);
			return new Map(all).set(judge, new Map(old).set(p.position, finding));
		}), [judge]);

	// One search at a time: the review's, the bot's, the analysis' or a hint's.
	const reviewed = review !== undefined && game ? game.positions[review] : undefined;
	const task = now && game && retried === now ? taskOf(now, game.positions[game.at + 1], found) : undefined;
	const attempt = useAttempt(backend, now, task, model), guessing = !!task && !attempt.over;
	const wanted = guessing || !known ? "none" :
		reviewed ? Math.max(200, levels[level].simulations) :
		botMoves ? levels[level].simulations
		: mode === "analyse" && thinking ? "analysis"
		: personMoves && (hinted === now || announce && mode === "play" && table.atEnd)
		? Math.max(200, levels[level].simulations) : "none";
	const finished = (a: Analysis) => {
		if (review !== undefined) setReview(review + 1);
		else if (botMoves) {
			// What the bot answers to is first seen to the end.
			const at = now, action = chosen(a, at!, level);
			whenShown(at!, since.current, () => {
				if (latest.current.now === at && latest.current.botMoves) void table.act(action, true);
			});
		}
	};
	const latest = useRef({ now, botMoves });
	latest.current = { now, botMoves };
	const vectors: Record<string, string> = { relaxed: "SIMD relaxed", simd: "SIMD", portable: say("plain") };
	const kernels = vectors[models.find((m) => m.id === model)?.kernels ?? ""] ?? "";
	const search = useSearch(backend, model, reviewed ?? now, wanted, keep, finished, (e) => {
		setReview(undefined);
		table.report(e);
	});
	useEffect(() => {
		if (review === undefined || !game) return;
		if (review >= game.positions.length) reviewedAll();
		else if (reviewed?.outcome !== "ongoing") setReview(review + 1); // it needs no search
	}, [review]);
	const analysis = reviewed ? undefined : search.analysis;
	const showMarks = !task && (mode === "analyse" && !botMoves) || hinted === now;
	const marks = showMarks && analysis && !line ? marksOf(analysis, reader) : undefined;
	const best = useBest(backend, now, showMarks ? analysis : undefined), ends = useEnds(backend, now, analysis);
	const looking = useLine(backend, now, line), preview = task ? attempt.line : looking;

	const act = (action: string) => {
		setHinted(undefined);
		void table.act(action);
	};
	const fresh = (name: string, dealt = false) => {
		setHinted(undefined);
		setReview(undefined);
		void table.fresh(name, dealt);
	};
	// Undo goes to where a person was to move, redo forward to the next such place.
	const toPerson = (step: 1 | -1) => {
		if (!game) return;
		if (step < 0 && game.at === 0) {
			table.restore();
			return;
		}
		let at = game.at + step;
		const stops = (p: Position) => mode === "analyse" || seats[p.to_move] === "person" || p.outcome !== "ongoing";
		while (at > 0 && at < game.positions.length - 1 && !stops(game.positions[at])) at += step;
		table.go(Math.max(0, Math.min(game.positions.length - 1, at)));
	};
	useKeys({ ArrowLeft: () => game && table.go(game.at - 1), ArrowRight: () => game && table.go(game.at + 1),
		v: () => game && table.goTo(beside(game.line[game.at])), u: () => toPerson(-1),
		h: () => now && personMoves && setHinted(now), n: () => now && fresh(now.game) }, false);
	useNarrow(); // a board may name its sides by where they lie
	useLayoutEffect(() => { // for those who watch the page from outside
		document.body.dataset.moves = String(game?.at ?? 0);
		document.body.dataset.state = !now || table.busy() ? "busy"
			: !ongoing ? "over" : botMoves ? "bot" : review !== undefined ? "busy" : "person";
		document.title = `dojo: ${now ? shortTitleOf(now.game) : "…"}`;
	});

	if (!game || !now) {
		return <p class={table.error ? "error" : "loading"} role="status">{table.error || say("Loading …")}</p>;
	}
	const side = (p: Player) => ui.side(p);
	const told = announce && mode === "play"
		? toldOf(game.positions.slice(0, game.at + 1), (p) => seats[p] === "person", found, ui.words) : "";
	const levelName = (i: number) => {
		const elo = eloOf(now.game, models.find((m) => m.id === model), i);
		return `${i + 1}${elo === undefined ? "" : ` · Elo ${elo}`}${
			i === 0 ? ` · ${say("beginner")}` : i === levels.length - 1 ? ` · ${say("full strength")}` : ""
		}`;
	};
	const score = now.score ? `, ${say("{0} to {1}", ...now.score)}` : "";
	const status = !ongoing ?
		(now.outcome === "draw" ? say("A draw") : say("{0} wins", side(now.outcome as Player))) + score
		: task ? say("{0} to move", side(now.to_move)) :
		botMoves ? say("{0} to move: the bot is thinking", side(now.to_move)) :
		mode === "play" && !table.atEnd && seats[now.to_move] === "bot" ?
		say("The bot waits: you are looking at an earlier position.")
		: mode === "play" ? say("{0} to move: your turn", side(now.to_move)) : say("{0} to move", side(now.to_move));
	const shown = preview?.positions[preview.at] ?? now;
	const before = game.positions[game.at - 1];
	const value = !ongoing ? { first: 1, second: -1, draw: 0 }[now.outcome as "first"]
		: analysis?.value ?? found.get(now.position)?.value;
	const others = mistakesOf(game.positions, found, now.to_move), retryAt = (at: number) => {
		setHinted(undefined);
		table.go(at);
		retry(game.positions[at]);
		document.querySelector(".stage")?.scrollIntoView({ block: "start" });
	};
	const share = async () => {
		const link = location.href.split("#")[0] + linkOf(game);
		try {
			await navigator.clipboard.writeText(link);
			setNotice(say("The link is copied."));
		} catch {
			setNotice(say("The address of this page is the link."));
		}
	};
	const save = async () => {
		try {
			const text = await backend.write(now.game, game.positions[0].position, game.positions.slice(1).map((p) =>
				p.move!
			));
			download(`${now.game.split(":")[0]}.txt`, text);
		} catch (e) {
			table.report(e);
		}
	};

	return (
		<div class="room">
			<section class="stage" aria-label={shortTitleOf(now.game)}>
				{editor?.game === now.game ? editor.content :
					(
						<ui.Board position={shown} reader={reader}
							viewer={mode === "play" && known && persons.length === 1 ? persons[0] : undefined}
							previous={preview ? preview.positions[preview.at - 1] ?? now
								: game.went === "on" ? game.positions[game.at - 1] : undefined}
							history={preview
								? [...game.positions.slice(0, game.at + 1), ...preview.positions.slice(1, preview.at + 1)]
								: game.positions.slice(0, game.at + 1)} marks={preview ? undefined : marks}
							onAct={guessing ? (a) => void attempt.tried(a) : personMoves && !preview && !task ? act : undefined} />
					)}
				<p id="status" class="status" role="status">
					{preview
						? say("A line of the search, {0} of {1}: {2}", preview.at, preview.moves.length,
							ui.words(preview.positions[preview.at - 1], preview.moves[preview.at - 1])) : status}
					{!preview && before && <span class="hidden">. {side(before.to_move)}: {ui.words(before, now.move!)}</span>}
				</p>
				{table.error && <p id="error" class="error" role="alert">{table.error}</p>}
			</section>

			<aside>
				{task && (
					<AttemptPanel attempt={attempt} task={task} at={now} ui={ui} next={others.length > 1 ? () =>
						retryAt(others.find((at) => at > game.at) ?? others[0]) : undefined} leave={() =>
						retry(undefined)} />
				)}
				<div class="panel controls">
					<div class="row spread">
						<h1>
							{shortTitleOf(now.game)} <small class="dim">{now.game}</small>
						</h1>
						<a id="to-rules" href={`#rules?${new URLSearchParams({ game: now.game })}`}>{say("Rules")}</a>
					</div>
					{games.length > 1 && (
						<label>
							{say("game")}{" "}
							<select id="game" value={now.game} onChange={(e) => fresh(e.currentTarget.value)}>
								{games.map((g) => <option key={g} value={g}>{titleOf(g)}</option>)}
							</select>
						</label>
					)}
					{!known && <p class="dim small">{say("No bot here knows this variant: two people can play it.")}</p>}
					{bots.length > 1 && (
						<label>
							{say("bot")}{" "}
							<select id="bot" value={model} onChange={(e) =>
								setModelOf({ ...modelOf, [now.game]: e.currentTarget.value })}>
								{[...new Set(bots.map((m) => m.run))].map((run) => {
									const options = bots.filter((m) => m.run === run).map((m) => (
										<option key={m.id} value={m.id} title={named(m.about ?? "")}>{named(m.name)}</option>
									));
									return run ? <optgroup key={run} label={run}>{options}</optgroup> : options;
								})}
							</select>
						</label>
					)}
					<div class="switch" role="radiogroup" aria-label={`${say("Play")}, ${say("Analyse")}`}>
						{(["play", "analyse"] as const).map((m) => (
							<label key={m} class={mode === m ? "on" : ""}>
								<input type="radio" name="mode" id={`mode-${m}`} checked={mode === m} onChange={() => setMode(m)} />
								{m === "play" ? say("Play") : say("Analyse")}
							</label>
						))}
					</div>
					{mode === "play" && (
						<>
							<div class="grid2">
								{(["first", "second"] as const).map((p) => (
									<label key={p}>
										<span>
											<i class={`dot ${p}`} aria-hidden="true" /> {side(p)}
										</span>
										<select id={p} value={seats[p]} onChange={(e) =>
											setSeats({ ...seats, [p]: e.currentTarget.value as "person" })}>
											<option value="person">{say("person")}</option>
											<option value="bot">{say("bot")}</option>
										</select>
									</label>
								))}
							</div>
							<label class="line">
								{say("level")}{" "}
								<select id="level" value={level} onChange={(e) => {
									setLevel(Number(e.currentTarget.value));
									setRow(0);
								}}
									title={say("{0} simulations a move. Elo of the bot at this level; random play has 0.",
										levels[level].simulations)}>
									{levels.map((_, i) => <option key={i} value={i}>{levelName(i)}</option>)}
								</select>
							</label>
							<label class="line">
								<input type="checkbox" id="adapt" checked={adapt} onChange={(e) => setAdapt(e.currentTarget.checked)} />
								{" "}
								{say("Change the level after three wins or losses")}
							</label>
							<label class="line">
								<input type="checkbox" id="announce" checked={announce} onChange={(e) =>
									setAnnounce(e.currentTarget.checked)} />{" "}
								{say("Tell me my mistakes at once")}
							</label>
						</>
					)}
					<div class="row fill">
						<button id="new" onClick={() => fresh(now.game)}>{say("New game")}</button>
						{models.some((m) => m.game === now.game && m.usual) && (
							<button id="dealt" onClick={() => fresh(now.game, true)}>{say("Random start")}</button>
						)}
						<button id="undo" disabled={game.at === 0 && !game.before} onClick={() => toPerson(-1)}>
							{say("Undo")}
						</button>
						<button id="redo" disabled={table.atEnd} onClick={() => toPerson(1)}>{say("Redo")}</button>
						{mode === "play" ?
							(
								<button id="hint" disabled={!personMoves || !known} aria-pressed={hinted === now}
									onClick={() => setHinted(hinted === now ? undefined : now)}>
									{say("Hint")}
								</button>
							)
							: (
								<button id="think" aria-pressed={thinking} onClick={() => setThinking(!thinking)}>
									{thinking ? say("Stop") : say("Start")}
								</button>
							)}
					</div>
				</div>

				{!guessing && (value !== undefined || search.speed > 0 || mode === "analyse") && (
					<div class="panel thoughts">
						<ValueBar value={value} reader={reader} turn={() => turn(!turned)} ui={ui} />
						<p class="dim small" id="counts">
							{analysis && (
								<span id="visits" data-running={search.running}>
									{many(analysis.visits, "{0} visit", "{0} visits")}
								</span>
							)}
							{search.speed > 0 && (
								<span id="speed">
									{backend.site.backend === "worker"
										? say("{0} simulations/s in this browser ({1})", Math.round(search.speed), kernels)
										: say("{0} simulations/s on the server", Math.round(search.speed))}
								</span>
							)}
						</p>
						{showMarks && (
							<BestLine positions={best} expected={analysis?.lead} reader={reader} ui={ui}
								go={personMoves && mode === "analyse" ? table.follow : undefined} />
						)}
						{showMarks && analysis && (
							<Ranked analysis={analysis} before={now} reader={reader} ui={ui} ends={ends}
								choose={personMoves ? act : undefined} look={(move) => look(move && { at: now, move })} />
						)}
						{showMarks && !ongoing && <p class="dim small">{say("The game is over.")}</p>}
					</div>
				)}

				<div class="panel">
					<div class="row spread">
						<h2>{say("Game")}</h2>
						<div class="steps">
							{([["first", phrase("first position"), "M4 3v10M13 3 6 8l7 5Z", 0], ["back", phrase("back"),
								"M12 3 4 8l8 5Z", game.at - 1], ["forward", phrase("forward"), "M4 3l8 5-8 5Z", game.at + 1], ["last",
								phrase("last position"), "M12 3v10M3 3l7 5-7 5Z", game.positions.length - 1]] as const).map((
									[name, label, path, to],
								) => (
									<button key={name} id={`go-${name}`} aria-label={say(label)}
										disabled={to < 0 || to >= game.positions.length || to === game.at} onClick={() => table.go(to)}>
										<svg viewBox="0 0 16 16" aria-hidden="true">
											<path d={path} />
										</svg>
									</button>
								))}
						</div>
					</div>
					<Curve game={game} found={found} go={table.go} ui={ui} />
					<Record game={game} found={found} ui={ui} table={table} />
					<div class="row fill">
						{review === undefined ? (
							<button id="review" disabled={game.positions.length < 2 || !known} onClick={() => {
								setHinted(undefined);
								setReview(0);
							}}>
								{say("Review the game")}
							</button>
						) : <button id="review" onClick={() => setReview(undefined)}>{say("Stop")}</button>}
						<button id="save" onClick={() => void save()}>{say("Save")}</button>
						<button id="share" onClick={() => void share()}>{say("Copy link")}</button>
					</div>
					<p class="dim small" role="status" id="notice">
						{review !== undefined
							? say("Reviewing {0} of {1}", Math.min(review + 1, game.positions.length), game.positions.length)
							: notice || told}
					</p>
					{review === undefined && <Review game={game} found={found} go={retryAt} ui={ui} />}
				</div>

				<Folded id="setup" title={say("Set up a position, load a game")}>
					<SetupPanel key={now.game} table={table} backend={backend} ui={ui} edit={edit} />
				</Folded>
				<Folded id="rules" title={say("Rules")}>
					<RulesPanel backend={backend} game={now.game} />
				</Folded>
				<Folded id="keys" title={say("Keys")}>
					<p>
						{say(
							"← and → go through the game, V goes to the next variation, U takes back, H gives a hint, N begins a " +
								"new game. On a board Tab goes from one choice to the next, arrow keys to the next cell, Enter " +
								"chooses. In Patchwork 1, 2 and 3 take a patch, arrow keys move it, R turns and F flips it, Enter " +
								"drops it, Escape lets it go, and A advances.",
						)}
					</p>
				</Folded>
			</aside>
			<Toolbar table={table} ui={ui} undo={game.at > 0 || game.before ? () => toPerson(-1) : undefined}
				hint={mode === "play" && personMoves && known ? () => setHinted(hinted === now ? undefined : now) : undefined}
				hinted={hinted === now} />
		</div>
	);
}

// Folded is a panel whose content is there only while it is open.
function Folded({ id, title, children }: { id: string; title: string; children: preact.ComponentChildren }) {
	const [open, setOpen] = useState(false);
	return (
		<details class="panel" id={id} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
			<summary>{title}</summary>
			{open && children}
		</details>
	);
}

// beside is the next of the moves that were played in place of one.
function beside(node: Node): Node {
	const all = node.parent?.children ?? [node];
	return all[(all.indexOf(node) + 1) % all.length];
}
