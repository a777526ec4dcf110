// The panel that shows the results of the search.
import type { Player, Position } from "../wire";
import type { GameUI } from "../boards/board";
import { many, number, say } from "../words";
import type { Controller } from "./ctrl";
import { ValueBar } from "./panels";
import { Ranked } from "./ranked";
import { outcomeValue } from "./search";
import type { Props } from "./view";

export function Thoughts({ ctrl, ui }: Props) {
	const { analysis, reader, search, shows, settings: { mode } } = ctrl, now = ctrl.now!;
	const value = outcomeValue(now) ?? analysis?.value ?? ctrl.findings.get(now.position)?.value;
	if (ctrl.guessing || (value === undefined && search.speed === 0 && mode !== "analyse")) return null;
	return <div class="panel thoughts">
		<ValueBar value={value} reader={reader} turn={() => ctrl.put({ turned: !ctrl.turned })} ui={ui} />
		<Counts ctrl={ctrl} />
		{shows &&
			(<Line positions={ctrl.bestLine} expected={analysis?.lead} reader={reader} ui={ui}
				go={ctrl.personMoves && mode === "analyse" ? (positions) => ctrl.table.follow(positions) : undefined} />)}
		{shows && analysis &&
			(<Ranked analysis={analysis} before={now} reader={reader} ui={ui} ends={(m) => ctrl.endOf(m)}
				choose={ctrl.personMoves ? (action) => ctrl.act(action) : undefined} look={(move) => ctrl.look(move)} />)}
		{shows && !ctrl.ongoing && <p class="dim small">{say("The game is over.")}</p>}
	</div>;
}

function Counts({ ctrl }: { ctrl: Controller }) {
	const { analysis, search: { running, speed }, offer: { backend } } = ctrl;
	const vectors: Record<string, string> = { relaxed: "SIMD relaxed", simd: "SIMD", portable: say("no SIMD") };
	const kernels = vectors[ctrl.bot?.kernels ?? ""] ?? "";
	return <p class="dim small" id="counts">
		{analysis && <span id="visits" data-running={running}>{many(analysis.visits, "{0} visit", "{0} visits")}</span>}
		{speed > 0 &&
			(<span id="speed">
				{backend.site.backend === "worker" ? say("{0} simulations/s in this browser ({1})", Math.round(speed), kernels)
					: say("{0} simulations/s on the server", Math.round(speed))}
			</span>)}
	</p>;
}

interface LineProps {
	positions?: Position[];
	expected?: number; // points by which First is expected to win
	reader: Player;
	ui: GameUI;
	go?(positions: Position[]): void;
}

// Line shows the best line. A click on a move goes to the position after the move. In a game with
// points, Line also shows the final lead that the network expects for reader, the player whose
// chances are shown.
function Line({ positions, expected, reader, ui, go }: LineProps) {
	const lead = reader === "first" ? expected! : -expected!, points = number(Math.abs(lead), 1);
	return <>
		<p class="principal small" tabindex={0} role="group" aria-label={say("Best line")}>
			{positions?.slice(1, 9).map((p, i) =>
				<button key={i} class={`quiet ${positions[i].to_move}`} disabled={!go} onClick={() =>
					go!(positions.slice(1, i + 2))}>
					{ui.words(positions[i], p.move!)}
				</button>
			)}
		</p>
		{expected !== undefined &&
			(<p id="lead" class="small">
				{lead < 0 ? say("Expected at the end: {0} is {1} points behind", ui.side(reader), points)
					: say("Expected at the end: {0} is {1} points ahead", ui.side(reader), points)}
			</p>)}
	</>;
}
