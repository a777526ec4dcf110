// Othello: black discs for First and white discs for Second, on a board of cells.
import { say } from "../words";
import type { BoardProps, GameUI } from "./board";
import { GridBoard } from "./grid";

// The class sets the colours of the discs.
const Board = (props: BoardProps) =>
	<div class="othello">
		<GridBoard {...props} />
	</div>;

export const othello: GameUI = { side: (player) => (player === "first" ? say("Black") : say("White")),
	words: (_, action) => (action === "pass" ? say("pass") : action), Board, men: "othello-men" };
