// Tic-tac-toe: columns a to c, rows 3 to 1.
import type { BoardProps, GameUI, SetupProps } from "./board";

const S = 100; // side of a cell
const cells = Array.from({ length: 9 }, (_, i) => ({ name: "abc"[i % 3] + (3 - Math.floor(i / 3)), x: (i % 3) * S, y: Math.floor(i / 3) * S }));

function Board({ position, marks, onAct }: BoardProps) {
  const men = position.position;
  return (
    <svg class="board" viewBox="-4 -4 308 308" role="group" aria-label="Board">
      {cells.map((c, i) => {
        const free = onAct && position.legal.includes(c.name);
        const weight = marks?.find((m) => m.action === c.name)?.weight ?? 0;
        const holds = men[i] === "." ? "empty" : men[i];
        const act = () => free && onAct(c.name);
        return (
          <g
            key={c.name} transform={`translate(${c.x},${c.y})`} data-cell={c.name}
            class={free ? "can" : ""} role={free ? "button" : "img"} tabindex={free ? 0 : undefined} aria-label={`${c.name}: ${holds}`}
            onClick={act} onKeyDown={(e) => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), act())}
          >
            <rect class={`cell${position.move === c.name ? " last" : ""}`} x="2" y="2" width={S - 4} height={S - 4} rx="8" />
            {weight > 0 && <rect class="heat" x="6" y="6" width={S - 12} height={S - 12} rx="6" opacity={weight} />}
            {men[i] === "x" && <path class="first stroke" d="M25 25 75 75M75 25 25 75" />}
            {men[i] === "o" && <circle class="second stroke" cx="50" cy="50" r="27" />}
          </g>
        );
      })}
    </svg>
  );
}

// A click goes from nothing to a cross to a nought.
function Setup({ text, position, change }: SetupProps) {
  const men = [...(/^[xo.]{9}$/.test(text) ? text : position.position)];
  const turn = (i: number) => change(men.map((m, n) => (n !== i ? m : m === "." ? "x" : m === "x" ? "o" : ".")).join(""));
  return (
    <div class="setup">
      <div class="setup-grid three" role="group" aria-label="Board">
        {men.map((m, i) => <button key={i} class={`square ${m === "x" ? "first" : m === "o" ? "second" : ""}`} aria-label={`${cells[i].name}: ${m === "." ? "empty" : m}`} onClick={() => turn(i)}>{m === "." ? "" : m}</button>)}
      </div>
    </div>
  );
}

export const tictactoe: GameUI = {
  title: () => "Tic-tac-toe",
  side: (player) => (player === "first" ? "Crosses" : "Noughts"),
  words: (_, action) => action,
  Board, Setup,
};
