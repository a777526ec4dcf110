// The board of the page for play, and a line of text about the state of the game.
import type { Player } from "../wire";
import { shortTitleOf } from "../boards";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import type { Controller } from "./ctrl";
import { marksOf } from "./search";
import type { Editor } from "./setup";
import type { Props } from "./view";

export function Stage({ ctrl, ui, editor }: Props & { editor?: Editor }) {
	const { table, preview } = ctrl, { error } = table, game = table.game!, now = table.now!;
	const before = game.positions[game.at - 1];
	return <section class="stage" aria-label={shortTitleOf(now.game)}>
		{editor?.game === now.game ? editor.content : <Board ctrl={ctrl} ui={ui} />}
		<p id="status" class="status" role="status">
			{preview
				? say("Line of the search, move {0} of {1}: {2}", preview.at, preview.moves.length,
					ui.words(preview.positions[preview.at - 1], preview.moves[preview.at - 1])) : statusOf(ctrl, ui)}
			{!preview && before && <span class="hidden">. {ui.side(before.to_move)}: {ui.words(before, now.move!)}</span>}
		</p>
		{error && <p id="error" class="error" role="alert">{error}</p>}
	</section>;
}

function Board({ ctrl, ui }: Props) {
	const { table, preview, persons, reader, settings: { mode } } = ctrl, game = table.game!, now = table.now!;
	const history = game.positions.slice(0, game.at + 1), { analysis } = ctrl;
	const act = ctrl.guessing ? (action: string) => void ctrl.attempt.tried(action)
		: ctrl.personMoves && !preview && !ctrl.task ? (action: string) => ctrl.act(action) : undefined;
	const common = { reader, onAct: act,
		viewer: mode === "play" && ctrl.known && persons.length === 1 ? persons[0] : undefined };
	if (preview) {
		const { positions, at } = preview;
		return <ui.Board {...common} position={positions[at]} previous={positions[at - 1] ?? now}
			history={[...history, ...positions.slice(1, at + 1)]} />;
	}
	return <ui.Board {...common} position={now} previous={game.went === "on" ? game.positions[game.at - 1] : undefined}
		history={history} marks={ctrl.shows && analysis && !ctrl.looking ? marksOf(analysis, reader) : undefined} />;
}

function statusOf(ctrl: Controller, ui: GameUI): string {
	const { table, task, settings: { mode, seats } } = ctrl, { outcome, score, to_move } = table.now!;
	const side = ui.side(to_move);
	if (!ctrl.ongoing) {
		return (outcome === "draw" ? say("A draw") : say("{0} wins", ui.side(outcome as Player))) +
			(score ? `, ${say("{0} to {1}", ...score)}` : "");
	}
	if (!task && ctrl.botMoves) return say("{0} to move: the bot is thinking", side);
	if (task || mode === "analyse") return say("{0} to move", side);
	if (!table.atEnd && seats[to_move] === "bot") {
		return say("The bot waits because the board shows an earlier position. Go to the last position to " + "continue.");
	}
	return say("{0} to move: your turn", side);
}
