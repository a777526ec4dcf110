// Tic-tac-toe: columns a to c, rows 3 to 1.
import type { GameUI, SetupProps } from "./board";
import { say } from "../words";
import { GridBoard } from "./grid";

const names = Array.from({ length: 9 }, (_, i) => "abc"[i % 3] + (3 - Math.floor(i / 3)));

// A click goes from nothing to a cross to a nought.
function Setup({ text, position, change }: SetupProps) {
  const men = [...(/^[xo.]{9}$/.test(text) ? text : position.position)];
  const turn = (i: number) => change(men.map((m, n) => (n !== i ? m : m === "." ? "x" : m === "x" ? "o" : ".")).join(""));
  return (
    <div class="setup">
      <div class="setup-grid three" role="group" aria-label={say("Board")}>
        {men.map((m, i) => <button key={i} class={`square ${m === "x" ? "first" : m === "o" ? "second" : ""}`} aria-label={`${names[i]}: ${m === "." ? say("empty") : m}`} onClick={() => turn(i)}>{m === "." ? "" : m}</button>)}
      </div>
    </div>
  );
}

export const tictactoe: GameUI = {
  title: () => say("Tic-tac-toe"),
  side: (player) => (player === "first" ? say("Crosses") : say("Noughts")),
  words: (_, action) => action,
  Board: GridBoard, Setup,
};
