// What the controllers of a game need of the browser. Tests give them another.
import type { Position } from "../wire";

export interface Outside {
	/** The time in ms. */
	now(): number;
	/** Whether the reader wants nothing to move. */
	still(): boolean;
	/** Calls f once the board, which shows a position since then, has shown how it came about, or somebody skips that. */
	whenShown(p: Position, since: number, f: () => void): void;
	/** Writes the link of the game into the address, so that it can be shared and survives a reload. */
	address(link: string): void;
	/** Tells those who watch the page from outside that something was asked for. */
	busy(): void;
}

/** How long, in ms, the board takes to show how a position came about. */
export function animationOf(p: Position): number {
	const stages = p.stages as unknown[] | undefined;
	return stages ? Math.min(6000, stages.length * 190) + 300 : 0;
}
