// The page on which users learn from their own games. It asks about each mistake again and again,
// at growing intervals.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Backend } from "../backend/backend";
import { Absent, Failure, useAnswer } from "../answer";
import { boardOf, gamesOf, shortTitleOf, titleOf, useModels } from "../boards";
import { useNarrow } from "../boards/tools";
import { lessonOf } from "../learn/lessons";
import { addCards, dropCard, dropGame, dueCards, keptCards, keptGames, rate, readPuzzles,
	type Card } from "../learn/store";
import { Attempt, told } from "../play/attempt";
import { browser, download, useController } from "../play/browser";
import { many, moment, say } from "../words";

export default function Learn({ backend }: { backend: Backend }) {
	const { answer: models, error } = useModels(backend);
	const [changed, setChanged] = useState(0);
	const games = useMemo(() => gamesOf(models ?? [], false), [models]);
	const due = useMemo(() => dueCards(games), [games, changed]);
	const again = () => setChanged((n) => n + 1);
	if (!models) return <Absent error={error} />;
	const model = models.find((m) => m.game === due[0]?.game)?.id;
	return <div class="learn">
		{due.length ?
			<Puzzle key={`${due[0].game} ${due[0].position}`} card={due[0]} left={due.length} backend={backend} model={model}
				done={again} /> : <section class="panel">
				<h1>{say("Learn from your mistakes")}</h1>
				<p id="none">
					{keptCards().length ? say("No puzzle is due now. Puzzles that are due later: {0}.", keptCards().length)
						: say(
							"Play a game and request a computer analysis. Your mistakes return here as puzzles until you " +
								"find the better moves.",
						)}
				</p>
				<Lessons games={games} />
			</section>}
		<Collection backend={backend} changed={again} count={changed} />
	</div>;
}

// Lessons links to the lesson of each game.
function Lessons({ games }: { games: string[] }) {
	return <p class="row lessons">
		{games.filter((game, i) => lessonOf(game) && games.findIndex((g) => boardOf(g) === boardOf(game)) === i).map((
			game,
		) =>
			<a key={game} class="button" href={`#rules?${new URLSearchParams({ game })}&lesson`}>
				{say("{0}: lesson of five moves", shortTitleOf(game))}
			</a>
		)}
	</p>;
}

// Puzzle asks for the best move in a position.
function Puzzle(
	{ card, left, backend, model, done }: { card: Card; left: number; backend: Backend; model?: string; done(): void },
) {
	const ui = boardOf(card.game);
	useNarrow();
	const { answer: [at] = [], error } = useAnswer(() => backend.follow(card.game, card.position, []), [
		card.game,
		card.position,
	]);
	const attempt = useController((changed) => new Attempt(backend, browser, changed)), { said, over, line } = attempt;
	useEffect(() => attempt.pose(at, card, model), [at]);
	const next = () => {
		rate(card, !attempt.failed);
		done();
	};
	const name = (move: string) => (at ? ui.words(at, move) : move);
	return <section class="room">
		<div class="stage">
			{at &&
				(<ui.Board position={line?.positions[line.at] ?? at}
					previous={line ? line.positions[line.at - 1] ?? at : undefined}
					marks={over && !line ? [{ action: card.best, weight: 1, best: true }] : undefined}
					onAct={over || said === "thinking" ? undefined : (a) => void attempt.tried(a)} />)}
			<p id="said" class={`status ${said}`} role="status">
				{at && said === "" ? `${say("{0} to move", ui.side(at.to_move))}. ` : ""}
				{told(said)}
			</p>
			<Failure error={error || attempt.error} />
		</div>
		<aside class="panel">
			<h1>
				{say("Learn from your mistakes")} <small class="dim">{titleOf(card.game)}</small>
			</h1>
			<p id="due">{say("Puzzles due: {0}", left)}</p>
			{card.played && <p>{say("Played: {0}", name(card.played))}</p>}
			{over && <p id="answer">{say("Best move: {0}", name(card.best))}</p>}
			<div class="row fill">
				{over ? <button id="next" class="primary" onClick={next}>{say("Next")}</button>
					: <button id="show" onClick={() => attempt.show()}>{say("View the solution")}</button>}
				<button id="drop" onClick={() => {
					dropCard(card);
					done();
				}}>
					{say("Do not ask this again")}
				</button>
			</div>
		</aside>
	</section>;
}

// Collection lists the stored games and imports puzzles.
function Collection({ backend, changed, count }: { backend: Backend; changed(): void; count: number }) {
	const [notice, setNotice] = useState("");
	const games = useMemo(() => keptGames().reverse(), [count]);
	const save = (g: (typeof games)[number]) =>
		backend.write(g.game, g.position, g.moves).then((text) => download(`${g.game.split(":")[0]}.txt`, text),
			(e: Error) => setNotice(e.message));
	const take = async (input: HTMLInputElement) => {
		const f = input.files?.[0];
		input.value = "";
		if (!f) return;
		try {
			if (f.size > 1 << 20) throw new Error(say("the file is larger than 1 MB"));
			setNotice(say("Puzzles added: {0}.", addCards(readPuzzles(await f.text()))));
			changed();
		} catch (e) {
			setNotice(`${f.name}: ${(e as Error).message}`);
		}
	};
	return <section class="panel" id="kept">
		<h2>{say("Your games")}</h2>
		{!games.length && <p class="dim">{say("This browser keeps the games that you finish.")}</p>}
		<ul class="kept">
			{games.map((g) =>
				<li key={g.id}>
					<a href={`#play?${new URLSearchParams({ game: g.game, position: g.position, moves: g.moves.join(",") })}`}>
						{titleOf(g.game)}, {moment(g.id)}
					</a>
					<span class="dim">
						{many(g.moves.length, "{0} move, {1}", "{0} moves, {1}",
							g.outcome === "draw" ? say("A draw")
								: g.persons.includes(g.outcome as "first") ? say("won") : say("lost"))}
					</span>
					<button onClick={() => void save(g)} aria-label={`${say("Save")}: ${g.id}`}>{say("Save")}</button>
					<button onClick={() => {
						dropGame(g.id);
						changed();
					}} aria-label={`${say("Delete")}: ${g.id}`}>
						{say("Delete")}
					</button>
				</li>
			)}
		</ul>
		<div class="row">
			<label class="file">
				{say("Load puzzles")}
				<input id="puzzles" type="file" accept=".jsonl,.txt,application/json"
					onChange={(e) => void take(e.currentTarget)} />
			</label>
		</div>
		<p class="small" role="status" id="learn-notice">{notice}</p>
	</section>;
}
