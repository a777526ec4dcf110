// The list of boards, by game. It is the only place that names them.
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
