// The page on which a game is played, analysed, set up, saved and shared. play/ctrl.ts contains its
// logic, and the views draw it.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Backend, Model } from "../backend/backend";
import { Absent } from "../answer";
import { boardOf, gamesOf, shortTitleOf, useModels } from "../boards";
import type { GameUI } from "../boards/board";
import { useKeys, useNarrow } from "../boards/tools";
import { Stage } from "../play/board";
import { browser, useController } from "../play/browser";
import { Controls } from "../play/controls";
import { askedModel, Controller } from "../play/ctrl";
import { AttemptPanel, RulesPanel } from "../play/panels";
import { RecordPanel } from "../play/record_panel";
import { SetupPanel, type Editor } from "../play/setup";
import type { Offer } from "../play/state";
import { Thoughts } from "../play/thoughts";
import { Toolbar } from "../play/toolbar";
import { say } from "../words";

interface Props {
	backend: Backend;
	query: URLSearchParams; // part of the address after the question mark
}

export default function Play({ backend, query }: Props) {
	const { answer: models, error } = useModels(backend);
	if (!models) return <Absent error={error} />;
	if (!models.length) return <p class="loading">{say("There is no model to play against.")}</p>;
	return <Room backend={backend} query={query} models={models} />;
}

function Room({ backend, query, models }: Props & { models: Model[] }) {
	const ctrl = useController((changed) => {
		const asked = askedModel(query);
		const order = [...models.filter((m) => m.id === asked), ...models.filter((m) => m.run), ...models];
		const offer: Offer = { backend, models, games: gamesOf(order, backend.site.backend === "server") };
		return new Controller(offer, query.has("position"), browser, changed);
	});
	useEffect(() => ctrl.open(query), [query]);
	const { table, now } = ctrl, { game } = table;
	useKeys({ ArrowLeft: () => game && table.go(game.at - 1), ArrowRight: () => game && table.go(game.at + 1),
		v: () => ctrl.beside(), u: () => ctrl.toPerson(-1), h: () => ctrl.personMoves && ctrl.hint(true),
		n: () => now && ctrl.fresh(now.game) }, false);
	useNarrow(); // draw again when the width changes: a board may then name its sides differently
	useLayoutEffect(() => { // publishes the state of the page for external programs
		document.body.dataset.moves = String(game?.at ?? 0);
		document.body.dataset.state = !now || table.busy ? "busy"
			: !ctrl.ongoing ? "over" : ctrl.botMoves ? "bot" : ctrl.review !== undefined ? "busy" : "person";
		document.title = `dojo: ${now ? shortTitleOf(now.game) : "…"}`;
	});
	if (!now) return <p class={table.error ? "error" : "loading"} role="status">{table.error || say("Loading …")}</p>;
	return <View ctrl={ctrl} ui={boardOf(now.game)} />;
}

function View({ ctrl, ui }: { ctrl: Controller; ui: GameUI }) {
	const [editor, edit] = useState<Editor>(); // set while the user sets up the board
	const { table, offer: { backend } } = ctrl, { game } = table.now!;
	const retry = (at: number) => {
		ctrl.retry(at);
		document.querySelector(".stage")?.scrollIntoView({ block: "start" });
	};
	return <div class={`room ${ui.men ?? ""}`}>
		<Stage ctrl={ctrl} ui={ui} editor={editor} />
		<aside>
			{ctrl.task && <AttemptPanel ctrl={ctrl} task={ctrl.task} ui={ui} retry={retry} />}
			<Controls ctrl={ctrl} ui={ui} />
			<Thoughts ctrl={ctrl} ui={ui} />
			<RecordPanel ctrl={ctrl} ui={ui} retry={retry} />
			<Folded id="setup" title={say("Set up a position or load a game")}>
				<SetupPanel key={game} table={table} backend={backend} ui={ui} edit={edit} />
			</Folded>
			<Folded id="rules" title={say("Rules")}>
				<RulesPanel backend={backend} game={game} />
			</Folded>
			<Folded id="keys" title={say("Keyboard shortcuts")}>
				<p>
					{say(
						"← and → step through the game, V goes to the next variation, U undoes a move, H shows a " +
							"hint, and N begins a new game. On a board, Tab goes to the next choice, the arrow keys go " +
							"to the next cell, Enter chooses, and Escape cancels. In Patchwork, 1, 2 and 3 take a patch, " +
							"the arrow keys move the patch, R turns it, F flips it, Enter places it, Escape puts it " +
							"back, and A advances.",
					)}
				</p>
			</Folded>
		</aside>
		<Toolbar ctrl={ctrl} ui={ui} />
	</div>;
}

// Folded is a panel that renders its content only while it is open.
function Folded({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
	const [open, setOpen] = useState(false);
	return <details class="panel" id={id} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
		<summary>{title}</summary>
		{open && children}
	</details>;
}
