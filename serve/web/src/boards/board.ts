// The interface GameUI is all that the pages know about a game. Its board draws the positions.
import type { ComponentChild, ComponentType } from "preact";
import type { Player, Position } from "../wire";

/**
 * An action that the board highlights with an arrow or a coloured spot. The larger the weight, the
 * stronger the highlight.
 */
export interface Mark {
	action: string;
	weight: number; // from 0 to 1, such as the share of visits
	best?: boolean;
	figures?: [chance: string, visits: string];
}

export interface BoardProps {
	position: Position;
	/**
	 * The previous position, from which the board animates the action position.move. Without it,
	 * there is no animation.
	 */
	previous?: Position;
	/**
	 * The positions from the start of the game to this one, if known. Patchwork uses them to colour
	 * its patches.
	 */
	history?: Position[];
	marks?: Mark[];
	/**
	 * The side of the only human player at the board, if there is exactly one. A board may show
	 * that side larger.
	 */
	viewer?: Player;
	/** The player from whose side the board is drawn. The default is "first". */
	reader?: Player;
	/** Called with the legal action that the user chooses. Without it the board is read-only. */
	onAct?: (action: string) => void;
}

export interface SetupProps {
	position: Position; // the last legal position that was entered
	text: string; // content of the text box, which need not be legal
	change(text: string): void;
}

/** What the pages need to know about a game. */
export interface GameUI {
	/** Returns the name of a player. */
	side(player: Player): string;
	/** Describes an action in words. before is the position in which the action is played. */
	words(before: Position, action: string): string;
	/** Draws an action, for games that show a picture instead of the words. */
	picture?(before: Position, action: string): ComponentChild;
	Board: ComponentType<BoardProps>;
	/**
	 * The class that gives the colours of the game's men to the parts of a page around the board. It
	 * is not needed if the men have the colours of the two sides on all pages.
	 */
	men?: string;
	/**
	 * Labels of the game's variants, by game name. If no bot knows a variant, two people can still
	 * play it.
	 */
	variants?: { [game: string]: string };
	/** The name of the variant that people usually play. */
	usual?: string;
	/** An editor that changes the text of a position by clicks. */
	Setup?: ComponentType<SetupProps>;
}
