// A game without a board of its own: its grid or, if it has none, its drawing as text and a button for
// each action.
import type { BoardProps, GameUI } from "./board";
import { GridBoard, gridOf, sideName } from "./grid";

function Board(props: BoardProps) {
  return gridOf(props.position) ? <GridBoard {...props} /> : <TextBoard {...props} />;
}

function TextBoard({ position, marks, onAct }: BoardProps) {
  const weight = (action: string) => marks?.find((m) => m.action === action)?.weight ?? 0;
  return (
    <div class="board plain-board">
      <pre>{position.drawing ?? position.position}</pre>
      <div class="row">
        {(onAct ? position.legal : []).map((a) => (
          <button key={a} class="can" onClick={() => onAct!(a)}>{a}{weight(a) > 0 ? ` ${Math.round(100 * weight(a))} %` : ""}</button>
        ))}
      </div>
    </div>
  );
}

export const plain: GameUI = {
  title: () => "",
  side: sideName,
  words: (_, action) => action,
  Board,
};
