// The levels of the bots in the box, and how strong they are; see games/box/levels.sh.
import calibrated from "./levels.json";

/** A lower level looks less far and plays a share of its moves at random. */
export const levels: { simulations: number; random: number }[] = calibrated.levels;

interface Ratings {
	model: string; // its hash
	elo: number[]; // of the levels; random play has 0
	marks?: { [player: string]: number }; // of fixed players, by their names for "dojo match"
}

/** The ratings of a game's bot and of the players that it was rated with; undefined if there are none. */
export const ratingsOf = (game: string): Ratings | undefined =>
	(calibrated.ratings as { [game: string]: Ratings })[game];
