// The names of players and fields in Ô ăn quan.
import { say } from "../words";

/**
 * Returns the names of the players, by seat. On a vertical board, the upper seat is on the right.
 */
export const sidesOf = (upright: boolean) => (upright ? [say("Right"), say("Left")] : [say("Above"), say("Below")]);

/** Returns the name of a field, such as king 6. */
export const nameOf = (f: number) => (f % 6 === 0 ? say("king {0}", f) : say("field {0}", f));

/** Describes an action in words. */
export const sowing = (f: number | string,
	clockwise: boolean) => (clockwise ? say("sow {0} ↻ clockwise", f) : say("sow {0} ↺ anticlockwise", f));
