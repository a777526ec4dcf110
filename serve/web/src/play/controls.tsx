// The panel for choosing the game, the players and their level.
import type { Player } from "../wire";
import { shortTitleOf, titleOf } from "../boards";
import { say } from "../words";
import type { Controller } from "./ctrl";
import { levels } from "./levels";
import { named } from "./names";
import { eloOf, players } from "./search";
import type { Props } from "./view";

export function Controls({ ctrl, ui }: Props) {
	const { offer: { games }, settings: { mode } } = ctrl, { game } = ctrl.now!;
	return <div class="panel controls">
		<div class="row spread">
			<h1>
				{shortTitleOf(game)} <small class="dim">{game}</small>
			</h1>
			<a id="to-rules" href={`#rules?${new URLSearchParams({ game })}`}>{say("Rules")}</a>
		</div>
		{games.length > 1 && <label>
			{say("game")}{" "}
			<select id="game" value={game} onChange={(e) => ctrl.fresh(e.currentTarget.value)}>
				{games.map((g) => <option key={g} value={g}>{titleOf(g)}</option>)}
			</select>
		</label>}
		{!ctrl.known &&
			<p class="dim small">{say("No bot here knows this variant. Two people can play it against each other.")}</p>}
		{ctrl.bots.length > 1 && <Bots ctrl={ctrl} />}
		<div class="switch" role="radiogroup" aria-label={`${say("Play")}, ${say("Analyse")}`}>
			{(["play", "analyse"] as const).map((m) =>
				<label key={m} class={mode === m ? "on" : ""}>
					<input type="radio" name="mode" id={`mode-${m}`} checked={mode === m}
						onChange={() => ctrl.set({ mode: m })} />
					{m === "play" ? say("Play") : say("Analyse")}
				</label>
			)}
		</div>
		{mode === "play" && <Players ctrl={ctrl} ui={ui} />}
		<Buttons ctrl={ctrl} />
	</div>;
}

// Bots lists the bots of the game, grouped by run.
function Bots({ ctrl }: { ctrl: Controller }) {
	const { bots, settings: { models } } = ctrl, { game } = ctrl.now!;
	return <label>
		{say("bot")}{" "}
		<select id="bot" value={ctrl.model} onChange={(e) =>
			ctrl.set({ models: { ...models, [game]: e.currentTarget.value } })}>
			{[...new Set(bots.map((m) => m.run))].map((run) => {
				const options = bots.filter((m) => m.run === run).map((m) =>
					<option key={m.id} value={m.id} title={named(m.about ?? "")}>{named(m.name)}</option>
				);
				return run ? <optgroup key={run} label={run}>{options}</optgroup> : options;
			})}
		</select>
	</label>;
}

// Players lets the user choose who plays each side, and the level of the bots.
function Players({ ctrl, ui }: Props) {
	const { seats, level, adapt, announce } = ctrl.settings;
	const sit = (p: Player, who: string) => ctrl.set({ seats: { ...seats, [p]: who } });
	const strength = say(
		"The bot makes {0} simulations per move. The Elo is its rating at this level; random play " + "has Elo 0.",
		levels[level].simulations,
	);
	return <>
		<div class="grid2">
			{players.map((p) =>
				<label key={p}>
					<span>
						<i class={`dot ${p}`} aria-hidden /> {ui.side(p)}
					</span>
					<select id={p} value={seats[p]} onChange={(e) => sit(p, e.currentTarget.value)}>
						<option value="person">{say("person")}</option>
						<option value="bot">{say("bot")}</option>
					</select>
				</label>
			)}
		</div>
		<label class="line">
			{say("level")}{" "}
			<select id="level" value={level} title={strength} onChange={(e) =>
				ctrl.set({ level: Number(e.currentTarget.value), row: 0 })}>
				{levels.map((_, i) => <option key={i} value={i}>{levelName(ctrl, i)}</option>)}
			</select>
		</label>
		<label class="line">
			<input type="checkbox" id="adapt" checked={adapt}
				onChange={(e) => ctrl.set({ adapt: e.currentTarget.checked })} />{" "}
			{say("Change the level after three wins or losses in a row")}
		</label>
		<label class="line">
			<input type="checkbox" id="announce" checked={announce}
				onChange={(e) => ctrl.set({ announce: e.currentTarget.checked })} />{" "}
			{say("Show my mistakes immediately")}
		</label>
	</>;
}

function levelName(ctrl: Controller, i: number): string {
	const elo = eloOf(ctrl.now!.game, ctrl.bot, i);
	const end = i === 0 ? ` · ${say("beginner")}` : i === levels.length - 1 ? ` · ${say("full strength")}` : "";
	return `${i + 1}${elo === undefined ? "" : ` · Elo ${elo}`}${end}`;
}

function Buttons({ ctrl }: { ctrl: Controller }) {
	const { table, thinking, hints, offer: { models } } = ctrl, game = table.game!, name = table.now!.game;
	return <div class="row fill">
		<button id="new" onClick={() => ctrl.fresh(name)}>{say("New game")}</button>
		{models.some((m) => m.game === name && m.usual) &&
			(<button id="dealt" onClick={() => ctrl.fresh(name, true)}>{say("Random start")}</button>)}
		<button id="undo" disabled={game.at === 0 && !game.before} onClick={() => ctrl.toPerson(-1)}>{say("Undo")}</button>
		<button id="redo" disabled={table.atEnd} onClick={() => ctrl.toPerson(1)}>{say("Redo")}</button>
		{ctrl.settings.mode === "play" ?
			(<button id="hint" disabled={!ctrl.canHint} aria-pressed={hints} onClick={() => ctrl.hint(!hints)}>
				{say("Hint")}
			</button>)
			: <button id="think" aria-pressed={thinking} onClick={() => ctrl.put({ thinking: !thinking })}>
				{thinking ? say("Stop") : say("Start")}
			</button>}
	</div>;
}
