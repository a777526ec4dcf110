// Tic-tac-toe: columns a to c, rows 3 to 1.
import type { GameUI, SetupProps } from "./board";
import { say } from "../words";
import { GridBoard, GridPicture, type Cell } from "./grid";

const names = Array.from({ length: 9 }, (_, i) => "abc"[i % 3] + (3 - Math.floor(i / 3)));

const cellOf = (name: string,
	mark:
		string): Cell => (mark === "x" ? { name, owner: "first", piece: "cross" }
		: mark === "o" ? { name, owner: "second", piece: "ring" } : { name });

// Each click on a cell switches to its next content: empty, a cross, a nought.
function Setup({ text, position, change }: SetupProps) {
	const men = [...(/^[xo.]{9}$/.test(text) ? text : position.position)];
	const turn = (i: number) =>
		change(men.map((m, n) => (n !== i ? m : m === "." ? "x" : m === "x" ? "o" : ".")).join(""));
	return <GridPicture
		rows={[0, 3, 6].map((from) => men.slice(from, from + 3).map((m, i) => cellOf(names[from + i], m)))}
		click={(name) => turn(names.indexOf(name))} />;
}

export const tictactoe: GameUI = { side: (player) => (player === "first" ? say("Crosses") : say("Noughts")),
	words: (_, action) => action, Board: GridBoard, Setup };
