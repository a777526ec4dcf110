// The rules of a game in pictures on one screen (#rules?game=onitama), and the lesson of five moves
// (#rules?game=onitama&lesson).
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import { Absent, Failure, useAnswer } from "../answer";
import { boardOf, shortTitleOf, titleOf, useModels } from "../boards";
import { useNarrow } from "../boards/tools";
import { lessonOf, type Lesson, type Picture } from "../learn/lessons";
import { RulesPanel } from "../play/panels";
import { say } from "../words";

export default function Rules({ backend, query }: { backend: Backend; query: URLSearchParams }) {
	const { answer: models, error } = useModels(backend);
	useNarrow(); // redraw when the width changes, because a board may then become vertical
	const game = query.get("game") ?? models?.[0]?.game ?? "–", lesson = lessonOf(game);
	useEffect(() => {
		document.title = `dojo: ${shortTitleOf(game)}`;
	});
	if (!models) return <Absent error={error} />;
	if (!lesson) {
		return <section class="rules panel">
			<RulesPanel backend={backend} game={game} />
			<p class="row">
				<a class="button" href={linkTo("play", game)}>{say("Play")}</a>
			</p>
		</section>;
	}
	return query.has("lesson") ? <Moves key={game} backend={backend} game={game} lesson={lesson} />
		: <Pictures key={game} backend={backend} game={game} lesson={lesson} />;
}

const linkTo = (page: string, game: string, more = "") => `#${page}?${new URLSearchParams({ game })}${more}`;

function Pictures({ backend, game, lesson }: { backend: Backend; game: string; lesson: Lesson }) {
	return <section class="rules">
		<div class="row spread">
			<h1>{titleOf(game)}</h1>
			<div class="row">
				<a class="button primary" href={linkTo("rules", game, "&lesson")}>{say("Lesson: five moves")}</a>
				<a class="button" href={linkTo("play", game)}>{say("Play")}</a>
			</div>
		</div>
		<ol>
			{lesson.pictures.map((p, i) =>
				<li key={i}>
					<Figure backend={backend} game={game} picture={p} />
				</li>
			)}
		</ol>
	</section>;
}

function Figure({ backend, game, picture }: { backend: Backend; game: string; picture: Picture }) {
	const { answer: positions, error } = useAnswer(() => backend.follow(game, picture.position, picture.moves ?? []), []);
	const ui = boardOf(game);
	return <figure class={picture.part && `part-${picture.part}`}>
		<div class="picture" inert aria-hidden>
			{positions &&
				(<ui.Board position={positions[positions.length - 1]} history={positions}
					marks={picture.marks?.map((action, i) => ({ action, weight: 0.6, best: i === 0 }))} />)}
		</div>
		<Failure error={error} />
		<figcaption>{say(picture.text)}</figcaption>
	</figure>;
}

// Moves asks for one move after another.
function Moves({ backend, game, lesson }: { backend: Backend; game: string; lesson: Lesson }) {
	const [nth, setNth] = useState(0);
	const [at, setAt] = useState<{ nth: number; before: Position; after?: Position }>();
	const [wrong, setWrong] = useState(false);
	const [shown, setShown] = useState(false);
	const [error, setError] = useState("");
	const stage = useRef<HTMLDivElement>(null), next = useRef<HTMLButtonElement>(null);
	const step = lesson.steps[nth], ui = boardOf(game), here = at?.nth === nth ? at : undefined;
	useEffect(() => {
		setWrong(false);
		setShown(false);
		backend.follow(game, step.position, []).then(([before]) => setAt({ nth, before }),
			(e: Error) => setError(e.message));
	}, [nth]);
	useEffect(() => { // if the user moved with the keyboard, focus the button that continues
		if (here?.after && stage.current?.contains(document.activeElement)) next.current?.focus({ preventScroll: true });
	}, [here?.after]);
	const act = async (action: string) => {
		if (!here) return;
		try {
			const [, after] = await backend.follow(game, step.position, [action]);
			const good = step.good(action, after);
			setWrong(!good);
			if (good) setAt({ ...here, after });
		} catch (e) {
			setError((e as Error).message);
		}
	};
	const last = nth === lesson.steps.length - 1, done = here?.after !== undefined;
	return <section class="room lesson">
		<div class="stage" ref={stage}>
			{here &&
				(<ui.Board position={here.after ?? here.before} previous={here.after && here.before}
					history={here.after ? [here.before, here.after] : [here.before]}
					marks={shown && !done ? [{ action: step.show, weight: 0.8, best: true }] : undefined}
					onAct={done ? undefined : (a) => void act(a)} />)}
		</div>
		<aside class="panel">
			<h1>
				{shortTitleOf(game)} <small class="dim">{say("{0} of {1}", nth + 1, lesson.steps.length)}</small>
			</h1>
			<progress value={nth + (done ? 1 : 0)} max={lesson.steps.length} aria-label={say("Lesson")} />
			<p id="asked">{say(step.ask)}</p>
			<p id="told" class={`status ${done ? "right" : wrong ? "wrong" : ""}`} role="status">
				{done ? say(step.told) : wrong ? say("You can do better. Try another move.") : ""}
			</p>
			<Failure error={error} />
			{done && last && <p id="learnt">{say("Now you know the rules. Play a game.")}</p>}
			<div class="row fill">
				{done && !last &&
					(<button id="next" ref={next} class="primary" onClick={() => setNth(nth + 1)}>{say("Next")}</button>)}
				{done && last && <a class="button primary" href={linkTo("play", game)}>{say("Play")}</a>}
				{!done && <button id="show" onClick={() => setShown(true)}>{say("View the solution")}</button>}
				<a class="button" href={linkTo("rules", game)}>{say("Rules")}</a>
			</div>
		</aside>
	</section>;
}
