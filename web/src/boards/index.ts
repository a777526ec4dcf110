// The list of boards, by game. It is the only place that names them.
import type { Model } from "../backend/backend";
import { say } from "../words";
import type { GameUI } from "./board";
import { onitama, wallonitama } from "./cards";
import { oanquan } from "./oanquan";
import { patchwork } from "./patchwork";
import { plain } from "./plain";
import { tictactoe } from "./tictactoe";

const all: Record<string, GameUI> = { oanquan, onitama, patchwork, tictactoe, wallonitama };

/** The board of a game, whose name may carry a variant or options. */
export function boardOf(game: string): GameUI {
  const base = game.split(/[-:]/)[0];
  return all[base] ?? { ...plain, title: () => base.charAt(0).toUpperCase() + base.slice(1) };
}

/** The name of a game for people, with its variant or options. */
export function titleOf(game: string): string {
  const ui = boardOf(game), rest = game.split(/[-:](.*)/)[1];
  return rest ? `${ui.title()}, ${ui.variants?.[game] ? say(ui.variants[game]) : rest}` : ui.title();
}

/** The games of models, in their order, each with its variants if these can be played without a bot. The usual variant stands before its game once a bot in the box knows it. */
export function gamesOf(models: Model[], botless: boolean): string[] {
  const known = new Set(models.map((m) => m.game));
  return [...new Set(models.flatMap((m) => {
    const { usual, variants } = boardOf(m.game), before = !m.run && usual && known.has(usual) ? [usual] : [];
    return [...before, m.game, ...(botless ? Object.keys(variants ?? {}) : [])];
  }))];
}
