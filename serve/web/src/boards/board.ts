// A board draws a position of one game. Pages know games only through GameUI.
import type { ComponentChild, ComponentType } from "preact";
import type { Player, Position } from "../wire";

/** An action shown on the board, as an arrow or as heat, stronger with its weight. */
export interface Mark {
	action: string;
	weight: number; // 0 to 1, such as the share of visits or a policy
	best?: boolean;
	figures?: [chance: string, visits: string];
}

export interface BoardProps {
	position: Position;
	/** The position before, to move from it; position.move is the action between. Without one nothing moves. */
	previous?: Position;
	/** The positions from the start of the game to this one, if known: Patchwork colours its patches by them. */
	history?: Position[];
	marks?: Mark[];
	/** The person at the board, if only one plays there: a board may show their side larger. */
	viewer?: Player;
	/** From whose side the board is seen; first's if it is not said. */
	reader?: Player;
	/** Called with a legal action when one is chosen. Without it the board is only looked at. */
	onAct?: (action: string) => void;
}

export interface SetupProps {
	position: Position; // the last that was legal
	text: string; // what stands in the box, legal or not
	change(text: string): void;
}

/** What the pages need to know about a game. */
export interface GameUI {
	/** Who the players are. */
	side(player: Player): string;
	/** An action in words, in the position before it. */
	words(before: Position, action: string): string;
	/** An action as a picture that stands for its words, where a game has one. */
	picture?(before: Position, action: string): ComponentChild;
	Board: ComponentType<BoardProps>;
	/** Variants, by game, in words. Two people can play one that no bot knows. */
	variants?: { [game: string]: string };
	/** The variant that people usually play. */
	usual?: string;
	/** Edits the text of a position by clicking. */
	Setup?: ComponentType<SetupProps>;
}
