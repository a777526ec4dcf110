// The bar at the bottom of a phone's screen. It shows the last move and has buttons to step through
// a game. On the page for play, it also has the two most important buttons.
import type { ComponentChildren } from "preact";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import { MoveName } from "./move";
import type { Game } from "./table";
import type { Props } from "./view";

/** Scrolls to the board if the board is not visible. */
export function showStage() {
	const stage = document.querySelector(".stage"), top = stage?.getBoundingClientRect().top ?? 0;
	if (top < -8 || top > innerHeight / 4) stage!.scrollIntoView({ block: "start" });
}

interface ButtonProps {
	id: string;
	label: string;
	path: string;
	act?(): void;
	pressed?: boolean;
}

const Button = ({ id, label, path, act, pressed }: ButtonProps) =>
	<button id={id} class="quiet" aria-label={label} aria-pressed={pressed} disabled={!act} onClick={act && (() => {
		act();
		showStage();
	})}>
		<svg viewBox="0 0 16 16" aria-hidden>
			<path d={path} />
		</svg>
	</button>;

/** The bar of the page for play. */
export function Toolbar({ ctrl, ui }: Props) {
	const { table, hints } = ctrl, game = table.game!;
	return <StepsBar game={game} go={(at) => table.go(at)} ui={ui}>
		<Button id="thumb-undo" label={say("Undo")} act={game.at > 0 || game.before ? () => ctrl.toPerson(-1) : undefined}
			path="M6 3 2.5 6.5 6 10M3 6.5H10a3.5 3.5 0 0 1 0 7H6" />
		<Button id="thumb-hint" label={say("Hint")} act={ctrl.canHint ? () => ctrl.hint(!hints) : undefined} pressed={hints}
			path="M8 1.5a4.5 4.5 0 0 0-2.5 8.2V12h5V9.7A4.5 4.5 0 0 0 8 1.5ZM6 14.3h4" />
	</StepsBar>;
}

interface StepsProps {
	game: Pick<Game, "positions" | "at">;
	ui: GameUI;
	go(at: number): void;
	children?: ComponentChildren; // buttons to the left of the steps
}

/** Steps through a game. Each step scrolls to the board. */
export function StepsBar({ game: { positions, at }, ui, go, children }: StepsProps) {
	const end = positions.length - 1;
	return <div class="steps-bar" role="toolbar" aria-label={say("Steps")}>
		{children}
		<div class="steps-text">
			<small class="dim">{say("{0} of {1}", at, end)}</small>
			<span>
				{at > 0 ? <MoveName ui={ui} before={positions[at - 1]} action={positions[at].move!} /> : say("First position")}
			</span>
		</div>
		<Button id="thumb-back" label={say("Previous move")} act={at > 0 ? () => go(at - 1) : undefined}
			path="M10.5 2.5 5 8l5.5 5.5" />
		<Button id="thumb-forward" label={say("Next move")} act={at < end ? () => go(at + 1) : undefined}
			path="M5.5 2.5 11 8l-5.5 5.5" />
	</div>;
}
