// Controls that several position editors use: a choice of tools, a choice of the player to move,
// and buttons that change a small number by one.
import type { ComponentChildren } from "preact";
import { say } from "../words";

/** Lets the user choose what the next click on the board does. */
export function Palette<T extends string>(
	{ label, all, chosen, choose }: { label: string; all: { value: T; label: string; picture?: ComponentChildren }[];
		chosen: T; choose(value: T): void },
) {
	return <div class="palette" role="radiogroup" aria-label={label}>
		{all.map(({ value, label, picture }) =>
			<button key={value} type="button" role="radio" aria-checked={chosen === value} aria-label={label} title={label}
				data-tool={value} onClick={() => choose(value)}>
				{picture ?? label}
			</button>
		)}
	</div>;
}

/** Lets the user choose the player to move. */
export function Mover({ names, chosen, choose }: { names: string[]; chosen: number; choose(seat: number): void }) {
	return <div class="palette" role="radiogroup" aria-label={say("to move")}>
		<span class="dim small">{say("to move")}</span>
		{names.map((name, seat) =>
			<button key={seat} type="button" role="radio" aria-checked={chosen === seat} onClick={() => choose(seat)}>
				<i class={`dot ${seat ? "second" : "first"}`} aria-hidden /> {name}
			</button>
		)}
	</div>;
}

/** A number between a minus button and a plus button. */
export function Stepper(
	{ label, value, least = 0, most, set, icon }: { label: string; value: number; least?: number; most: number;
		set(n: number): void; icon?: ComponentChildren },
) {
	return <span class="stepper" role="group" aria-label={label}>
		<button type="button" aria-label={`${label}: −1`} disabled={value <= least} onClick={() => set(value - 1)}>
			−
		</button>
		<output aria-label={label}>{icon}{value}</output>
		<button type="button" aria-label={`${label}: +1`} disabled={value >= most} onClick={() => set(value + 1)}>+</button>
	</span>;
}
