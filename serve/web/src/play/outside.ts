// The parts of the browser that a controller of a game needs. Tests replace them.
import type { Position } from "../wire";

export interface Outside {
	/** Returns the time in milliseconds. */
	now(): number;
	/** Returns whether the reader prefers reduced motion. */
	still(): boolean;
	/**
	 * Calls f when the animation that leads to position p is over, or when the user skips it. since
	 * is the time at which p appeared.
	 */
	whenShown(p: Position, since: number, f: () => void): void;
	/**
	 * Writes the link of the game to the address, so that users can share it and it survives a
	 * reload.
	 */
	address(link: string): void;
	/** Tells programs that watch the page from outside that a request is pending. */
	busy(): void;
}

/** Returns the duration in milliseconds of the animation that leads to a position. */
export function animationOf(p: Position): number {
	const stages = p.stages as unknown[] | undefined;
	return stages ? Math.min(6000, stages.length * 190) + 300 : 0;
}
