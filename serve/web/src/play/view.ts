import type { GameUI } from "../boards/board";
import type { Controller } from "./ctrl";

/** What each view of the page that plays is given. */
export interface Props {
	ctrl: Controller;
	ui: GameUI;
}
