// The names of Ô ăn quan.
import { say } from "../words";

/** The names of the players, by their seats. Where the board stands upright, the row above is on the right. */
export const sidesOf = (upright: boolean) => (upright ? [say("Right"), say("Left")] : [say("Above"), say("Below")]);

/** The name of a field, such as king 6. */
export const nameOf = (f: number) => (f % 6 === 0 ? say("king {0}", f) : say("field {0}", f));

/** An action in words. */
export const sowing = (f: number | string,
	clockwise: boolean) => (clockwise ? say("sow {0} ↻ clockwise", f) : say("sow {0} ↺ anticlockwise", f));
