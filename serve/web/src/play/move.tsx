// A move as lists show it.
import type { Position } from "../wire";
import type { GameUI } from "../boards/board";

/** An action in words or, where its game has one, as a picture that says the words to those who cannot see it. */
export function MoveName({ ui, before, action }: { ui: GameUI; before: Position; action: string }) {
	const words = ui.words(before, action), picture = ui.picture?.(before, action);
	return picture ? <>
		<span class="hidden">{words}</span>
		<span aria-hidden>{picture}</span>
	</> : <>{words}</>;
}
