// The panels beside the board.
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Backend, Player, Position } from "../backend/backend";
import type { GameUI } from "../boards/board";
import { Markdown } from "../markdown";
import { lessonOf } from "../learn/lessons";
import { language, say } from "../words";
import { accuracyOf, chanceOf, countOf, grades, outcomeValue, signs, type Finding } from "./search";
import type { Game, Table } from "./table";
import { showStage } from "./toolbar";

/** A value as the chance of a player, in per cent. */
export const percent = (value: number, player: Player) => `${Math.round(100 * chanceOf(value, player))} %`;

/** The chances of both as a bar, in which first's lie on the left, and those of the reader as a number. */
export function ValueBar({ value, reader, turn, ui }: { value?: number; reader: Player; turn(): void; ui: GameUI }) {
	const name = ui.side(reader), text = value === undefined ? "" : `${name} ${percent(value, reader)}`;
	const turned = say("Show the chances of {0}", ui.side(reader === "first" ? "second" : "first"));
	return (
		<div class="row values-row">
			<div class="value-bar" role="meter" aria-label={`${say("Chance to win")}: ${name}`} aria-valuemin={0}
				aria-valuemax={100} aria-valuenow={Math.round(100 * chanceOf(value ?? 0, reader))} aria-valuetext={text}>
				<div class="of-first" style={{ width: `${50 + 50 * (value ?? 0)}%` }} />
				<span class="first-end">{ui.side("first")}</span>
				<b>{text}</b>
				<span>{ui.side("second")}</span>
			</div>
			<button id="turn" class="quiet" onClick={turn} aria-label={turned} title={turned}>⇄</button>
		</div>
	);
}

/** The value after each move, first's up. A click goes there. */
export function Curve(
	{ game, found, go, ui }: { game: Game; found: Map<string, Finding>; go(at: number): void; ui: GameUI },
) {
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
	return (
		<svg class="curve" viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img"
			aria-label={say("Value of each position, {0} above, {1} below", ui.side("first"), ui.side("second"))}
			onClick={click}>
			<path class="area" d={`${line}L${x(known[known.length - 1].i)} ${H / 2}L${x(known[0].i)} ${H / 2}Z`} />
			<path class="axis" d={`M0 ${H / 2}H${W}`} />
			<path class="line" d={line} />
			{known.filter(({ i }) => marks[i] === "mistake" || marks[i] === "blunder").map(({ i, v }) => (
				<path key={i} class={`spot ${marks[i]}`} d={`M${x(i)} ${y(v)}h0`} />
			))}
			<path class="here" d={`M${x(game.at)} 0V${H}`} />
		</svg>
	);
}

/**
 * How well each side has played, once the whole game is judged. A click on a number asks for a better move than the
 * next such one.
 */
export function Review(
	{ game, found, go, ui }: { game: Game; found: Map<string, Finding>; go(at: number): void; ui: GameUI },
) {
	const marks = grades(game.positions, found);
	return (
		<ul class="review">
			{(["first", "second"] as const).map((player) => {
				const accuracy = accuracyOf(player, game.positions, found), name = ui.side(player);
				return accuracy !== undefined && (
					<li key={player}>
						<span>
							<i class={`dot ${player}`} aria-hidden="true" /> {name}: {say("{0} % accurate", Math.round(accuracy))}
						</span>
						{(["inaccuracy", "mistake", "blunder"] as const).map((grade) => {
							const before = marks.flatMap((m,
								i) => (m === grade && game.positions[i - 1].to_move === player ? [i - 1] : [])
							);
							const label = countOf(grade, before.length);
							return (
								<button key={grade} class={grade} disabled={!before.length} aria-label={`${name}: ${label}`}
									title={label} onClick={() => go(before.find((at) => at > game.at) ?? before[0])}>
									{signs[grade]} {before.length}
								</button>
							);
						})}
					</li>
				);
			})}
		</ul>
	);
}

/** A board that is being set up, of a game. */
export interface Editor {
	game: string;
	content: ComponentChild;
}

/** Positions and games in and out: by text, by clicking, by file. */
export function SetupPanel(
	{ table, backend, ui, edit }: { table: Table; backend: Backend; ui: GameUI; edit(e: Editor | undefined): void },
) {
	const now = table.now!;
	const [text, setText] = useState(now.position);
	const [good, setGood] = useState<Position>(now);
	const [wrong, setWrong] = useState("");
	const latest = useRef(text); // answers about older texts come too late
	latest.current = text;
	useEffect(() => {
		setText(now.position);
		setGood(now);
		setWrong("");
	}, [now]);
	const change = async (next: string) => {
		setText(latest.current = next);
		try {
			const [first] = await backend.read(now.game, next);
			if (latest.current !== next) return;
			setGood(first);
			setWrong("");
		} catch (e) {
			if (latest.current === next) setWrong((e as Error).message);
		}
	};
	const root = useRef<HTMLDivElement>(null);
	const close = () => root.current?.closest("details")?.removeAttribute("open");
	const use = async () => {
		try {
			await table.load(now.game, text);
			close();
		} catch (e) {
			setWrong((e as Error).message);
		}
	};
	const file = async (input: HTMLInputElement) => {
		const f = input.files?.[0];
		if (!f) return;
		if (f.size > 1 << 20) {
			setWrong(`${f.name}: ${say("more than 1 MB")}`);
			return;
		}
		const content = await f.text();
		input.value = "";
		setText(content.trim());
		try {
			await table.load(now.game, content);
			close();
		} catch (e) {
			setWrong(`${f.name}: ${(e as Error).message}`);
		}
	};
	// The board itself is what one sets up; it is given back when this panel closes.
	useLayoutEffect(() =>
		edit(ui.Setup && { game: good.game, content: (
			<div class="setup">
				<ui.Setup position={good} text={text.trim()} change={(s) => void change(s)} />
				<div class="row setup-end">
					<button id="use-here" class="primary" disabled={!!wrong} onClick={() => void use()}>{say("Use it")}</button>
					{wrong && <span class="error small">{say("Not a legal position: {0}", wrong)}</span>}
				</div>
			</div>
		) }), [good, text, wrong]);
	useLayoutEffect(() => {
		showStage();
		return () => edit(undefined);
	}, []);
	return (
		<div class="setup-panel" ref={root}>
			<label class="whole">
				{say("A position or a saved game, as text")}
				<textarea id="text" rows={3} spellcheck={false} value={text}
					onInput={(e) => void change(e.currentTarget.value)} />
			</label>
			{wrong && <p class="error small" role="alert">{say("Not a legal position: {0}", wrong)}</p>}
			<div class="row">
				<button id="use" class="primary" disabled={!!wrong} onClick={() => void use()}>{say("Use it")}</button>
				<label class="file">
					{say("Load a file")}
					<input type="file" accept=".txt,text/plain" onChange={(e) => void file(e.currentTarget)} />
				</label>
			</div>
		</div>
	);
}

/** The rules: in pictures elsewhere, and word for word. */
export function RulesPanel({ backend, game }: { backend: Backend; game: string }) {
	const [text, setText] = useState<string>();
	useEffect(() => {
		setText(undefined);
		backend.rules(game, language()).then(setText, (e: Error) => setText(e.message));
	}, [game, language()]);
	return (
		<>
			{lessonOf(game) && (
				<p class="row fill">
					<a class="button primary" href={`#rules?${new URLSearchParams({ game })}`}>{say("Rules in pictures")}</a>
					<a class="button" href={`#rules?${new URLSearchParams({ game })}&lesson`}>{say("Lesson: five moves")}</a>
				</p>
			)}
			{text === "" ? <p class="dim">{say("This game states no text of its rules.")}</p>
				: text && <Markdown text={text} />}
		</>
	);
}
