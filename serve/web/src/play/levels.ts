// The levels of the built-in bots, and their ratings; see games/box/levels.sh.
import calibrated from "./levels.json";

/** A lower level searches less and plays a larger share of its moves at random. */
export const levels: { simulations: number; random: number }[] = calibrated.levels;

interface Ratings {
	model: string; // hash of the model
	elo: number[]; // Elo of each level; the random player has 0
	// marks holds the Elo of fixed players, by the names that they have in "dojo match".
	marks?: { [player: string]: number };
}

/**
 * Returns the ratings of a game's bot and of the players that were rated with it, or undefined if
 * there are none.
 */
export const ratingsOf = (game: string): Ratings | undefined =>
	(calibrated.ratings as { [game: string]: Ratings })[game];
