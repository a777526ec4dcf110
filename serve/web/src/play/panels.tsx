// The panels next to the board.
import { useEffect, useState } from "preact/hooks";
import type { Backend, Player } from "../backend/backend";
import { Failure } from "../answer";
import type { GameUI } from "../boards/board";
import { Markdown } from "../markdown";
import { lessonOf } from "../learn/lessons";
import { language, say } from "../words";
import { told } from "./attempt";
import { accuracyOf, chanceOf, countOf, grades, mistakesOf, outcomeValue, players, signs, type Findings,
	type Task } from "./search";
import type { Game } from "./table";
import type { Props } from "./view";

/** Formats a value as the chance of a player, in per cent. */
export const percent = (value: number, player: Player) => `${Math.round(100 * chanceOf(value, player))} %`;

/**
 * Shows the winning chances of both players as a bar, with First on the left. Also shows the
 * winning chance of the player reader as a number.
 */
export function ValueBar({ value, reader, turn, ui }: { value?: number; reader: Player; turn(): void; ui: GameUI }) {
	const name = ui.side(reader), text = value === undefined ? "" : `${name} ${percent(value, reader)}`;
	const turned = say("Show the chances of {0}", ui.side(reader === "first" ? "second" : "first"));
	return <div class="row values-row">
		<div class="value-bar" role="meter" aria-label={`${say("Chance to win")}: ${name}`} aria-valuemin={0}
			aria-valuemax={100} aria-valuenow={Math.round(100 * chanceOf(value ?? 0, reader))} aria-valuetext={text}>
			<div class="of-first" style={{ width: `${50 + 50 * (value ?? 0)}%` }} />
			<span class="first-end">{ui.side("first")}</span>
			<b>{text}</b>
			<span>{ui.side("second")}</span>
		</div>
		<button id="turn" class="quiet" onClick={turn} aria-label={turned} title={turned}>⇄</button>
	</div>;
}

interface JudgedProps {
	game: Game;
	found: Findings;
	go(at: number): void;
	ui: GameUI;
}

/**
 * Shows the value after each move as a curve; up is good for the player First. A click goes to the
 * position at that point of the curve.
 */
export function Curve({ game, found, go, ui }: JudgedProps) {
	const n = game.positions.length, W = 300, H = 72;
	const x = (i: number) => (n > 1 ? (W * i) / (n - 1) : W / 2), y = (v: number) => H / 2 - v * (H / 2 - 4);
	const values = game.positions.map((p) => outcomeValue(p) ?? found.get(p.position)?.value);
	const known = values.flatMap((v, i) => (v === undefined ? [] : [{ i, v }]));
	if (known.length < 2) return null;
	const click = (e: MouseEvent) => {
		const box = (e.currentTarget as Element).getBoundingClientRect();
		go(Math.round(((e.clientX - box.left) / box.width) * (n - 1)));
	};
	const line = known.map(({ i, v }, k) => `${k ? "L" : "M"}${x(i)} ${y(v)}`).join("");
	const marks = grades(game.positions, found);
	return <svg class="curve" viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img"
		aria-label={say("Value of each position: a high curve is good for {0}, a low curve for {1}", ui.side("first"),
			ui.side("second"))} onClick={click}>
		<path class="area" d={`${line}L${x(known[known.length - 1].i)} ${H / 2}L${x(known[0].i)} ${H / 2}Z`} />
		<path class="axis" d={`M0 ${H / 2}H${W}`} />
		<path class="line" d={line} />
		{known.filter(({ i }) => marks[i] === "mistake" || marks[i] === "blunder").map(({ i, v }) =>
			<path key={i} class={`spot ${marks[i]}`} d={`M${x(i)} ${y(v)}h0`} />
		)}
		<path class="here" d={`M${x(game.at)} 0V${H}`} />
	</svg>;
}

/**
 * Shows how well each side has played, once the game is reviewed. A click on a number goes to the
 * next mistake of that kind.
 */
export function Review({ game, found, go, ui }: JudgedProps) {
	const marks = grades(game.positions, found);
	return <ul class="review">
		{players.map((player) => {
			const accuracy = accuracyOf(player, game.positions, found), name = ui.side(player);
			return accuracy !== undefined && <li key={player}>
				<span>
					<i class={`dot ${player}`} aria-hidden /> {name}: {say("accuracy {0} %", Math.round(accuracy))}
				</span>
				{(["inaccuracy", "mistake", "blunder"] as const).map((grade) => {
					const here = (i: number) => marks[i] === grade && game.positions[i - 1].to_move === player;
					const before = marks.flatMap((_, i) => (here(i) ? [i - 1] : []));
					const label = countOf(grade, before.length);
					return <button key={grade} class={grade} disabled={!before.length} aria-label={`${name}: ${label}`}
						title={label} onClick={() => go(before.find((at) => at > game.at) ?? before[0])}>
						{signs[grade]} {before.length}
					</button>;
				})}
			</li>;
		})}
	</ul>;
}

/**
 * The panel for a mistake in a game. It shows the played move and the better move, and leads to the
 * next mistake.
 */
export function AttemptPanel({ ctrl, ui, task, retry }: Props & { task: Task; retry(at: number): void }) {
	const { attempt, table } = ctrl, game = table.game!, now = table.now!;
	const others = mistakesOf(game.positions, ctrl.findings, now.to_move);
	const next = () => retry(others.find((at) => at > game.at) ?? others[0]);
	return <div id="attempt" class="panel">
		<p id="attempt-said" class={`status ${attempt.said}`} role="status">{told(attempt.said)}</p>
		<Failure error={attempt.error} />
		{task.played && <p>{say("Played: {0}", ui.words(now, task.played))}</p>}
		{attempt.over && <p id="attempt-answer">{say("Best move: {0}", ui.words(now, task.best))}</p>}
		<div class="row fill">
			{!attempt.over && <button id="attempt-show" onClick={() => attempt.show()}>{say("View the solution")}</button>}
			{others.length > 1 &&
				(<button id="attempt-next" class={attempt.over ? "primary" : ""} onClick={next}>{say("Next mistake")}</button>)}
			<button id="attempt-leave" onClick={() => ctrl.put({ retried: undefined })}>{say("Back to the game")}</button>
		</div>
	</div>;
}

/** Shows the full text of the rules, with links to the rules in pictures and the lesson. */
export function RulesPanel({ backend, game }: { backend: Backend; game: string }) {
	const [text, setText] = useState<string>();
	useEffect(() => {
		setText(undefined);
		backend.rules(game, language()).then(setText, (e: Error) => setText(e.message));
	}, [game, language()]);
	return <>
		{lessonOf(game) && <p class="row fill">
			<a class="button primary" href={`#rules?${new URLSearchParams({ game })}`}>{say("Rules in pictures")}</a>
			<a class="button" href={`#rules?${new URLSearchParams({ game })}&lesson`}>{say("Lesson: five moves")}</a>
		</p>}
		{text === "" ? <p class="dim">{say("This game has no text of its rules.")}</p> : text && <Markdown text={text} />}
	</>;
}
