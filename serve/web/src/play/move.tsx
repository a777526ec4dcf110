// A move in a list of moves.
import type { Position } from "../wire";
import type { GameUI } from "../boards/board";

/**
 * Shows an action in words or as a picture, if its game has pictures. Screen readers always get the
 * words.
 */
export function MoveName({ ui, before, action }: { ui: GameUI; before: Position; action: string }) {
	const words = ui.words(before, action), picture = ui.picture?.(before, action);
	return picture ? <>
		<span class="hidden">{words}</span>
		<span aria-hidden>{picture}</span>
	</> : <>{words}</>;
}
