// A board draws a position of one game. Pages know games only through GameUI.
import type { ComponentType } from "preact";
import type { Position } from "../backend/backend";

export type Language = "en" | "vi";

/** An action shown on the board: an arrow or a spot of heat, stronger with its weight. */
export interface Mark {
  action: string;
  weight: number; // 0 to 1, such as the share of visits or a policy
  best?: boolean;
}

export interface BoardProps {
  position: Position;
  /** The position before, to move from it; position.move is the action between. Without one nothing moves. */
  previous?: Position;
  marks?: Mark[];
  /** Called with a legal action when one is chosen. Without it the board is only looked at. */
  onAct?: (action: string) => void;
  language: Language;
}

/** What the pages need to know about a game. */
export interface GameUI {
  title(language: Language): string;
  /** Who the players are. */
  side(player: "first" | "second", language: Language): string;
  /** An action in words, in the position before it. */
  words(before: Position, action: string, language: Language): string;
  Board: ComponentType<BoardProps>;
  /** Edits a position by clicking; change gets the new text, which may not be legal yet. */
  Setup?: ComponentType<{ position: Position; text: string; change(text: string): void; language: Language }>;
  languages?: Language[];
}
