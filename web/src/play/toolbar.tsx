// What is under the thumb on a phone: steps through the game, with the move that led here, and the
// two buttons that a player needs most.
import type { ComponentChildren } from "preact";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import { MoveName } from "./move";
import type { Table } from "./table";

interface Props {
  table: Table;
  ui: GameUI;
  undo?(): void;
  hint?(): void;
  hinted: boolean;
}

/** Brings the board into sight, if it is not there. */
export function showStage() {
  const stage = document.querySelector(".stage"), top = stage?.getBoundingClientRect().top ?? 0;
  if (top < -8 || top > innerHeight / 4) stage!.scrollIntoView({ block: "start" });
}

const Icon = ({ path }: { path: string }) => <svg viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg>;

export function Toolbar({ table, ui, undo, hint, hinted }: Props) {
  const { game, now } = table;
  if (!game || !now) return null;
  const end = game.positions.length - 1, before = game.positions[game.at - 1];
  const go = (to: number) => { table.go(to); showStage(); };
  const button = (id: string, label: string, act: (() => void) | undefined, content: ComponentChildren, pressed?: boolean) =>
    <button id={id} class="quiet" aria-label={label} aria-pressed={pressed} disabled={!act} onClick={act && (() => { act(); showStage(); })}>{content}</button>;
  return (
    <div class="steps-bar" role="toolbar" aria-label={say("Steps")}>
      {button("thumb-undo", say("Undo"), undo, <Icon path="M6 3 2.5 6.5 6 10M3 6.5H10a3.5 3.5 0 0 1 0 7H6" />)}
      {button("thumb-hint", say("Hint"), hint, <Icon path="M8 1.5a4.5 4.5 0 0 0-2.5 8.2V12h5V9.7A4.5 4.5 0 0 0 8 1.5ZM6 14.3h4" />, hinted)}
      <div class="steps-text"><small class="dim">{say("{0} of {1}", game.at, end)}</small><span>{before ? <MoveName ui={ui} before={before} action={now.move!} /> : say("first position")}</span></div>
      {button("thumb-back", say("back"), game.at > 0 ? () => go(game.at - 1) : undefined, <Icon path="M10.5 2.5 5 8l5.5 5.5" />)}
      {button("thumb-forward", say("forward"), game.at < end ? () => go(game.at + 1) : undefined, <Icon path="M5.5 2.5 11 8l-5.5 5.5" />)}
    </div>
  );
}
