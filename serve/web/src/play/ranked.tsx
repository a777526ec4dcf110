// The list of moves that a search has ranked.
import { useRef } from "preact/hooks";
import type { Analysis, Move, Player, Position } from "../backend/backend";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import { MoveName } from "./move";
import { percent } from "./panels";
import { shareOf } from "./search";

const most = 8; // moves shown
// long is in milliseconds. After a longer touch, a move is not played; the board only shows the
// line that follows it.
const long = 500;

interface Props {
	analysis: Analysis;
	before: Position;
	reader: Player; // the list shows the chances of this player
	ui: GameUI;
	ends(m: Move): number | undefined; // number of moves until a proven move wins
	choose?(action: string): void;
	look(m: Move | undefined): void;
}

/**
 * Lists the best moves in the order of the search. Pointing at a move, or focusing it with the
 * keyboard, plays its line on the board. While the pointer is over the list, the order stays fixed,
 * so that no move slips away from the pointer. A click plays the move on which the pointer was
 * pressed.
 */
export function Ranked({ analysis, before, reader, ends, ui, choose, look }: Props) {
	const held = useRef<{ at: Position; order: string[] } | undefined>(undefined);
	const pressed = useRef<{ at: Position; move: string; since: number; finger: boolean } | undefined>(undefined);
	const byName = new Map(analysis.moves.map((m) => [m.move, m]));
	const order = held.current?.at === before ? held.current.order : analysis.moves.slice(0, most).map((m) => m.move);
	const shown = order.flatMap((name) => byName.get(name) ?? []);

	const result = (m: Move) => {
		const n = ends(m);
		return m.proven === "draw" ? say("draws")
			: m.proven === reader ? (n ? say("wins in {0}", n) : say("wins")) : n ? say("loses in {0}", n) : say("loses");
	};
	const hold = () => {
		if (held.current?.at !== before) held.current = { at: before, order };
	};
	const release = () => {
		held.current = undefined;
		look(undefined);
	};
	const press = (e: PointerEvent, m: Move) => {
		hold();
		look(m);
		pressed.current = { at: before, move: m.move, since: e.timeStamp, finger: e.pointerType !== "mouse" };
	};
	const click = (e: MouseEvent, m: Move) => {
		const p = e.detail > 0 ? pressed.current : undefined; // undefined if a key caused the click
		if (p && (p.at !== before || (p.finger && e.timeStamp - p.since > long))) return;
		choose?.(p?.move ?? m.move);
	};
	// If a finger leaves the list, keep the order fixed until the next move, because the "leave"
	// event of a tap comes before its "click" event.
	const leave = (e: PointerEvent) => (e.pointerType === "mouse" ? release() : look(undefined));
	return <ol class="ranked" aria-label={say("Moves ranked by the search")} onPointerLeave={leave}>
		{shown.map((m, i) => {
			const part = shareOf(analysis, m), text = ui.words(before, m.move);
			return <li key={i}>
				<button disabled={!choose} title={`${text}: ${m.line.join(" ")}`} onPointerMove={(e) => {
					if (e.pointerType === "mouse" && (e.movementX || e.movementY)) {
						hold();
						look(m);
					}
				}} onPointerDown={(e) => press(e, m)} onClick={(e) => click(e, m)} onFocus={(e) => {
					if (e.currentTarget.matches(":focus-visible")) {
						hold();
						look(m);
					}
				}} onBlur={release}>
					<span class={analysis.moves[0].move === m.move ? "bar best" : "bar"} style={{ width: `${100 * part}%` }}
						aria-hidden />
					<span class="what">
						<MoveName ui={ui} before={before} action={m.move} />
					</span>
					<span class="number">{Math.round(100 * part)} %</span>
					<span class="number">{m.proven ? result(m) : m.visits > 0 ? percent(m.value, reader) : "–"}</span>
				</button>
			</li>;
		})}
	</ol>;
}
