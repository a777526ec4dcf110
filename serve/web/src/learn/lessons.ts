// The pictures that explain the rules of each game, and a lesson of five moves for each game.
import type { Position } from "../wire";
import { phrase } from "../words";

/** A position with a text below it. Marks are actions to show on the board. */
export interface Picture {
	position: string;
	// The moves are played from position to reach the displayed position. The board may highlight
	// the last one.
	moves?: string[];
	marks?: string[];
	// part names the part of the table to show, if the table has several.
	part?: "quilt" | "track" | "circle";
	text: string;
}

/** A move to make: the task, the accepted moves, and the comment afterwards. */
export interface Step {
	position: string;
	ask: string;
	good(action: string, after: Position): boolean;
	show: string; // one of the right moves
	told: string;
}

export interface Lesson {
	pictures: Picture[];
	steps: Step[];
}

const won = (_: string, after: Position) => after.outcome === "first";
const any = () => true;

const onitamaStart = "bbBbb/...../...../...../wwWww 0 9,7 15,4 13 0";
const onitama: Lesson = {
	pictures: [{ position: onitamaStart,
		text: phrase(
			"Each side has a master, with a hat, and four students. Blue moves first and plays up the " +
				"board. Each player has two cards. The fifth card lies in the middle.",
		) }, { position: onitamaStart, marks: ["7 C1C2", "7 E1E2", "9 B1C2"],
		text: phrase(
			"Choose one of your two cards. Its picture shows where a man may go: from the dark square to " +
				"a coloured one. The man jumps over everything in between.",
		) }, { position: onitamaStart, moves: ["7 C1C2"],
		text: phrase(
			"The card that you played goes to the middle, and you take the card from the middle. So the " +
				"other side will soon play with your card.",
		) }, { position: "bbBb./...b./..w../...../wwW.w 0 11,7 5,4 13 0", marks: ["11 C3D4"],
		text: phrase("A man who lands on an enemy takes him.") }, {
		position: ".b.bb/...B./..w../.w..w/..W.. 0 14,15 5,3 13 0",
		marks: ["14 C3D4"],
		text: phrase("The Way of the Stone: take the enemy master to win."),
	}, { position: ".b.Bb/...../..W../.b.../w...w 0 15,7 5,3 13 0", marks: ["15 C3C5"],
		text: phrase("The Way of the Stream: bring your master to the enemy shrine to win.") }],
	steps: [{ position: onitamaStart,
		ask: phrase("Move a man: choose the man, then a cell. If both cards lead to the cell, choose a card."), good: any,
		show: "7 C1C2",
		told: phrase("The card that you played is now in the middle, and the card from the middle is yours.") }, {
		position: "bbBb./...b./..w../...../wwW.w 0 11,7 5,4 13 0",
		ask: phrase("Your monkey card reaches a red student. Take him."),
		good: (a) => a === "11 C3D4",
		show: "11 C3D4",
		told: phrase("The student is out of the game. You can take at most one man per turn."),
	}, { position: "b.Bbb/...../..b../...../wwWww 0 9,7 15,4 13 0",
		ask: phrase("Red's tiger jumps two cells: your master is in danger. Bring him to safety."), good: (a) =>
			a === "9 C1D2", show: "9 C1D2",
		told: phrase("Nobody calls check in Onitama. Look at the other side's cards before each move.") }, {
		position: ".b.bb/...B./..w../.w..w/..W.. 0 14,15 5,3 13 0",
		ask: phrase("Red's master came too near. Win now."),
		good: won,
		show: "14 C3D4",
		told: phrase("You won by the Way of the Stone."),
	}, { position: ".b.Bb/...../..W../.b.../w...w 0 15,7 5,3 13 0",
		ask: phrase("The red shrine is empty. Win by the other way."), good: won, show: "15 C3C5",
		told: phrase(
			"You won by the Way of the Stream. Only a master wins by reaching the shrine; a student does " + "not.",
		) }],
};

// Card patterns for the lesson. In this order, their steps are: one cell ahead, two cells ahead,
// one cell ahead to the left or right, and one cell to the left or right.
const one = ".......x....o............", two = "..x.........o............", fork = "......x.x...o............",
	sides = "...........xox...........";
const wallStart = `bbBbb/...../..W../...../aaAaa A 40 ${one} ${fork} ${fork} ${sides} ${two}`;
const jump = `bb.bb/..B../..b../..W../.aaAa A 30 ${one} ${two} ${fork} ${sides} ${fork} pawn`;
const swap = `bbBbb/...../..W../..a../aa.Aa A 36 ${one} ${fork} ${two} ${sides} ${fork} wall`;
const atBase = `b..bB/...../..A../...W./.a..a A 20 ${fork} ${two} ${one} ${sides} ${fork} pawn`;
const wallonitama: Lesson = {
	pictures: [
		{ position: `${wallStart} pawn`,
			text: phrase(
				"Each side has a general, with a hat, and four soldiers. The wall is between them. Blue " +
					"moves first and plays up the board.",
			) },
		{ position: `${wallStart} pawn`, marks: ["1e3d3", "2e2d3", "2e4d5"],
			text: phrase(
				"A turn has two parts. First you move a man as one of your two cards shows. The man may jump " +
					"over men and over the wall. The card goes to the middle, and you take the card from the " +
					"middle.",
			) },
		{ position: `${wallStart} pawn`, moves: ["1e2d2"], marks: ["u", "l", "r"],
			text: phrase(
				"Then you move the wall by one cell, or leave it. The wall cannot go to a base or onto an " + "enemy.",
			) },
		{ position: swap, marks: ["d"], text: phrase("The wall may change places with one of your soldiers.") },
		{ position: jump, marks: ["2e3c3"],
			text: phrase("A man who lands on an enemy takes him. Take the enemy general to win.") },
		{ position: atBase, marks: ["2c3a3"],
			text: phrase(
				"You also win if your general reaches the enemy base. If the turns run out, the game is a " + "draw.",
			) },
	],
	steps: [{ position: `${wallStart} pawn`,
		ask: phrase("Move a man: choose the man, then a cell. If both cards lead to the cell, choose a card."), good: any,
		show: "1e3d3",
		told: phrase("The card that you played is now in the middle, and the card from the middle is yours.") }, {
		position: `${wallStart.replace("bbBbb/...../..W../...../aaAaa", "bbBbb/...../..W../.a.../a.Aaa")} wall`,
		ask: phrase("Now move the wall by one cell."),
		good: (a) => a !== "s",
		show: "u",
		told: phrase("No man can land on the wall. The wall cannot take men."),
	}, { position: swap, ask: phrase("Let the wall change places with your soldier below it."), good: (a) => a === "d",
		show: "d", told: phrase("Your soldier is now one cell further, in addition to the move of your man.") }, {
		position: jump,
		ask: phrase("Jump over the wall and take a soldier."),
		good: (a) => a === "2e3c3",
		show: "2e3c3",
		told: phrase("Only the cell on which a man lands counts."),
	}, { position: atBase, ask: phrase("The way to the red base is open. Win the game."), good: won, show: "2c3a3",
		told: phrase("The game ends immediately. The wall does not move any more.") }],
};

const stages = (p: Position) => (p.stages ?? []) as { do: string; field: number }[];
const wins = (p: Position) => stages(p).filter((s) => s.do === "win");
const sowStart = "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0";
const capture = "12,0,0,4,0,0,10,3,0,0,0,6 13,22 2 11 12", double = "10,0,3,6,6,3,10,4,6,0,6,0 7,9 2 11 12",
	king = "12,0,0,4,0,1,10,0,2,2,0,0 23,16 2 11 12";
const lastKing = "10,4,2,0,0,2,0,0,2,0,6,0 20,24 2 10 12";
const oanquan: Lesson = {
	pictures: [{ position: sowStart,
		text: phrase(
			"The big stones at the ends are the kings. Each counts ten. Each player has five fields of " +
				"five stones. The player below (on a phone: left) moves first.",
		) }, { position: sowStart, marks: ["9+"],
		text: phrase(
			"Choose one of your fields and a direction. Sow all its stones, one in each next field, " +
				"including the kings' fields.",
		) }, { position: "11,2,2,0,3,4,10,4,0,3,0,2 17,12 2 11 12", marks: ["9+"],
		text: phrase("If the field after your last stone has stones, take them and continue in the same direction.") }, {
		position: capture,
		marks: ["11-"],
		text: phrase(
			"If that field is empty, you win the stones behind it. If another empty field and a field " +
				"with stones follow, you win those too.",
		),
	}, { position: king, marks: ["9+"],
		text: phrase(
			"If a king's field or two empty fields follow your last stone, your turn ends and you win " + "nothing.",
		) }, { position: lastKing, marks: ["8+"],
		text: phrase(
			"The game ends when both kings' fields are empty. The stones on your side are yours. The " +
				"player with more wins. If all your fields are empty at your turn, put one of your stones " +
				"into each.",
		) }],
	steps: [{ position: sowStart, ask: phrase("Sow: choose one of your fields, then one of the two arrows."), good: any,
		show: "9+", told: phrase("The sowing continues as long as the next field has stones.") }, { position: capture,
		ask: phrase(
			"One move wins stones. Count: after your last stone there must be an empty field, and stones " + "behind it.",
		), good: (_, p) => wins(p).length > 0, show: "11-",
		told: phrase("Your last stone fell into field 5. Field 4 was empty, so you won the four stones in field 3.") }, {
		position: double,
		ask: phrase("Win two fields with one move. One of them is a king's field."),
		good: (_, p) => wins(p).length > 1,
		show: "8-",
		told: phrase("After an empty field you won the king. After another empty field you won six more stones."),
	}, { position: king, ask: phrase("Win the king in field 0."), good: (_, p) => wins(p).some((s) => s.field === 0),
		show: "8+", told: phrase("A king counts ten. The player who wins the kings usually wins the game.") }, {
		position: lastKing,
		ask: phrase("Win the last king. Then the game ends, and you have more stones."),
		good: won,
		show: "8+",
		told: phrase("The game is over. The stones on your side counted for you too."),
	}],
};

const cloths = "fWTRdFeIJYKgSCZOaMGNEQXcBLDHbVPUA", later = "CFTRdeIJYKgSZOaMGNEQXcBLDHbVPUAfW";
const none = "0/0/0/0/0/0/0/0/0", some = "1c0/80/1c0/180/0/0/0/0/0", nothing = `0:5:0:${none} 0:5:0:${none} 1 0 -`;
const patchStart = `${cloths} ${nothing}`;
// A game that two bots played, in which Blue gets the 7×7 tile.
const played = { position: `NVLKOCgRSeFIPdEcQZaUMYDHGWBfTJbXA ${nothing}`,
	moves:
		("LAAC OAAA . RBAA eDAD . . PBAB EGAB ZEBF . . aHAE . . hBBA . . . . MICA hIAA HEAB GCCB WCCD TADA hFAA bEDC " +
			"AEFA VAEA gCDA FGEG dAHA QGGD hBBA YFDB . . . . hAEA . BEHA JCGB").split(" ") };
const patchwork: Lesson = {
	pictures: [{ ...played, moves: played.moves.slice(0, 33), part: "quilt",
		text: phrase(
			"Each player sews a quilt of nine by nine cells. At the end every button is a point, and every " +
				"empty cell costs two.",
		) }, { position: patchStart, part: "circle",
		text: phrase(
			"You may buy one of the three patches after the token. You pay with buttons and with time. " +
				"You may turn and flip the patch, but it must not cover another patch.",
		) }, { position: `${later} 9:3:2:${some} 14:7:1:${some} 1 0 -`, part: "track",
		text: phrase(
			"The player who is behind on the time track moves next. A player can move several times in a " + "row.",
		) }, { position: `${later} 9:1:2:${some} 14:7:1:${some} 1 0 -`, moves: ["."], part: "track",
		text: phrase(
			"Instead of buying a patch you may advance to the space in front of the other player. You " +
				"get one button for each step.",
		) }, { position: `${later} 16:6:4:${some} 18:7:1:${some} 1 0 -`, part: "track",
		text: phrase(
			"When you pass a button on the track, you get as many buttons as your patches show. If you " +
				"are the first to pass a small patch, you get this patch. It covers one cell.",
		) }, { ...played, part: "quilt",
		text: phrase(
			"The game ends when both players have reached the end of the track. In the variant with the " +
				"special tile, the first player who fills seven by seven cells gets seven points.",
		) }],
	steps: [{ position: patchStart,
		ask: phrase("Buy a patch: choose one that you can pay for, and place it on your quilt."), good: (a) => a !== ".",
		show: "TAAA",
		told: phrase("You paid with buttons and time. Now Red is behind, and Red moves until Red passes you.") }, {
		position: `${later} 9:0:2:${some} 14:7:1:${some} 1 0 -`,
		ask: phrase("You have no buttons. Advance."),
		good: (a) => a === ".",
		show: ".",
		told: phrase("You got a button for each step, and an income on the way."),
	}, { position: `${later} 16:6:4:${some} 24:7:1:${some} 1 0 -`,
		ask: phrase("There is an income on space 17. Buy a patch that takes you past it."), good: (a, p) =>
			a !== "." && seat(p).time >= 17, show: "TFAA",
		told: phrase("You got your income: one button for each button on your patches.") }, {
		position: `${later} 21:6:4:${some} 24:7:1:${some} 1 1 -`,
		ask: phrase("You were the first to reach a small patch. Place it on any empty cell, preferably in a hole."),
		good: (a) => a[0] === "h",
		show: "hABA",
		told: phrase("A filled hole is worth two points at the end."),
	}, { position: `${later} 30:6:4:${some} 35:7:1:${some} 1 0 -`,
		ask: phrase("Buy a patch that takes so little time that you move again."), good: (a, p) =>
			a !== "." && p.to_move === "first", show: "CFAA",
		told: phrase("You are still behind, so it is your move again.") }],
};

// seat returns the state of the player First in a position of Patchwork.
function seat(p: Position): { time: number } {
	return { time: Number(p.position.split(" ")[1].split(":")[0]) };
}

// In the variant with the 7×7 tile, the text of a position ends with the player who has the tile,
// or with "-" if nobody has it.
const tiled = <T extends { position: string }>(all: T[]): T[] =>
	all.map((each) => ({ ...each, position: `${each.position} -` }));
const patchworkSeven: Lesson = { pictures: tiled(patchwork.pictures), steps: tiled(patchwork.steps) };

const all: { [game: string]: Lesson } = { onitama, wallonitama, oanquan, patchwork, "patchwork-seven": patchworkSeven,
	"patchwork:seven_by_seven=true": patchworkSeven };

/** Returns the lesson of a game, if it has one. The name may include a variant or options. */
export const lessonOf = (game: string): Lesson | undefined => all[game] ?? all[game.split(/[-:]/)[0]];
