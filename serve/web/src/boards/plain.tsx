// The board of games that have no board of their own. It shows the game's grid. If there is none,
// it shows the position as a text drawing, and a button for each action.
import type { Position } from "../wire";
import type { BoardProps, GameUI } from "./board";
import { GridBoard, gridOf, pathsIn, sideName } from "./grid";

function Board(props: BoardProps) {
	return gridOf(props.position) ? <GridBoard {...props} /> : <TextBoard {...props} />;
}

function TextBoard({ position, marks, onAct }: BoardProps) {
	const weight = (action: string) => marks?.find((m) => m.action === action)?.weight ?? 0;
	return <div class="board plain-board">
		<pre>{position.drawing ?? position.position}</pre>
		<div class="row">
			{(onAct ? position.legal : []).map((a) =>
				<button key={a} class="can" onClick={() => onAct!(a)}>
					{a}
					{weight(a) > 0 ? ` ${Math.round(100 * weight(a))} %` : ""}
				</button>
			)}
		</div>
	</div>;
}

// inWords describes an action. On a board of cells, the text has the form "from → to". Otherwise it
// is the action's name.
function inWords(before: Position, action: string): string {
	const grid = gridOf(before), path = grid ? pathsIn(grid)(action) : [];
	if (path.length < 2 || path.join("") !== action) return action;
	const taken = grid!.rows.flat().find((c) => c.name === path[1])?.owner;
	return `${path[0]} ${taken ? "×" : "→"} ${path.slice(1).join(", ")}`;
}

export const plain: GameUI = { side: sideName, words: inWords, Board };
