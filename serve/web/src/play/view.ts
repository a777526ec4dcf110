import type { GameUI } from "../boards/board";
import type { Controller } from "./ctrl";

/** The properties of each view on the page for play. */
export interface Props {
	ctrl: Controller;
	ui: GameUI;
}
