// The panel of the game: its curve, its moves, its review, and buttons to save and share it.
import type { GameUI } from "../boards/board";
import { phrase, say } from "../words";
import { download } from "./browser";
import type { Controller } from "./ctrl";
import { Curve, Review } from "./panels";
import { Record } from "./record";
import { toldOf } from "./search";
import { linkOf, played } from "./table";
import type { Props } from "./view";

export function RecordPanel({ ctrl, ui, retry }: Props & { retry(at: number): void }) {
	const { table, review, findings } = ctrl, game = table.game!, all = game.positions.length;
	return <div class="panel">
		<div class="row spread">
			<h2>{say("Moves")}</h2>
			<Steps ctrl={ctrl} />
		</div>
		<Curve game={game} found={findings} go={(at) => table.go(at)} ui={ui} />
		<Record game={game} found={findings} ui={ui} table={table} />
		<div class="row fill">
			{review === undefined ?
				(<button id="review" disabled={all < 2 || !ctrl.known} onClick={() => ctrl.reviewGame(true)}>
					{say("Request a computer analysis")}
				</button>) : <button id="review" onClick={() => ctrl.reviewGame(false)}>{say("Stop")}</button>}
			<button id="save" onClick={() => void save(ctrl)}>{say("Save")}</button>
			<button id="share" onClick={() => void share(ctrl)}>{say("Copy link")}</button>
		</div>
		<p class="dim small" role="status" id="notice">
			{review !== undefined ? say("Analysing position {0} of {1}", Math.min(review + 1, all), all)
				: ctrl.notice || told(ctrl, ui)}
		</p>
		{review === undefined && <Review game={game} found={findings} go={retry} ui={ui} />}
	</div>;
}

function Steps({ ctrl: { table } }: { ctrl: Controller }) {
	const { at, positions } = table.game!;
	const steps: [name: string, label: string, path: string, to: number][] = [
		["first", phrase("First position"), "M4 3v10M13 3 6 8l7 5Z", 0],
		["back", phrase("Previous move"), "M12 3 4 8l8 5Z", at - 1],
		["forward", phrase("Next move"), "M4 3l8 5-8 5Z", at + 1],
		["last", phrase("Last position"), "M12 3v10M3 3l7 5-7 5Z", positions.length - 1],
	];
	return <div class="steps">
		{steps.map(([name, label, path, to]) =>
			<button key={name} id={`go-${name}`} aria-label={say(label)}
				disabled={to < 0 || to >= positions.length || to === at} onClick={() => table.go(to)}>
				<svg viewBox="0 0 16 16" aria-hidden>
					<path d={path} />
				</svg>
			</button>
		)}
	</div>;
}

// told returns a comment on the last move that a human made, if the user wants comments.
function told({ table, findings, settings: { announce, mode, seats } }: Controller, ui: GameUI): string {
	const { at, positions } = table.game!;
	if (!announce || mode !== "play") return "";
	return toldOf(positions.slice(0, at + 1), (p) => seats[p] === "person", findings, ui.words);
}

async function share(ctrl: Controller) {
	const link = location.href.split("#")[0] + linkOf(ctrl.table.game!);
	try {
		await navigator.clipboard.writeText(link);
		ctrl.put({ notice: say("Link copied.") });
	} catch {
		ctrl.put({ notice: say("The browser does not allow copying. Copy the address of this page instead.") });
	}
}

async function save({ table, offer: { backend } }: Controller) {
	const [name, ...game] = played(table.game!);
	try {
		download(`${name.split(":")[0]}.txt`, await backend.write(name, ...game));
	} catch (e) {
		table.report(e);
	}
}
