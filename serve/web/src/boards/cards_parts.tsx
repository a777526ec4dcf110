// The parts of an Onitama board: shrines, men, cards, arrows and the announcement of a win.
import type { Mark } from "./board";
import { drawn, Figures, written } from "./figures";
import { say } from "../words";
import { cardH, cardW, S } from "./cards_layout";
import { cardName, type Card, type Point, type Side } from "./cards_text";
import { button } from "./tools";

/** A shrine, the place where a master starts, drawn as a gate. */
export function Temple({ owner }: { owner: 0 | 1 }) {
	return <g class={`shrine of-${owner ? "second" : "first"}`} aria-hidden>
		<path d="M9 20Q42 13 75 20L77 12Q42 5 7 12Z M13 29H71V34H13Z M18 20H25L23 74H15Z M66 20H59L61 74H69Z" />
	</g>;
}

/** A man: a student, or a taller master with a hat. */
export function Man({ side, mark, fallen }: { side: Side; mark: string; fallen?: boolean }) {
	const man = side.men[mark], half = S / 2;
	if (!man) {
		return <g class="wall">
			<rect x="11" y="16" width={S - 22} height={S - 32} rx="4" />
			<path d={`M11 ${half}H${S - 11}M${half} 16V${half}M28 ${half}V${S - 16}M${S - 28} ${half}V${S - 16}`} />
		</g>;
	}
	const master = man[1];
	return <g class={`man ${man[0] ? "second" : "first"} ${fallen ? "fallen" : ""}`}>
		<ellipse class="shadow" cx={half} cy={master ? 71 : 67} rx={master ? 27 : 21} ry="7" />
		{master ? <>
			<path d="M16 70C15 48 25 37 42 37C59 37 69 48 68 70Q42 80 16 70Z" />
			<path class="shine" d="M22 66C22 50 29 41 40 40C31 47 28 57 29 69Z" />
			<path class="sign" d="M19 56Q42 65 65 56L66 62Q42 71 18 62Z" />
			<circle cx="42" cy="30" r="12" />
			<path class="hat" d="M19 28Q42 1 65 28Q42 36 19 28Z" />
		</> : <>
			<path d="M22 66C21 50 30 43 42 43C54 43 63 50 62 66Q42 75 22 66Z" />
			<path class="shine" d="M27 63C27 53 32 47 40 46C34 52 32 58 32 65Z" />
			<path class="sign" d="M24 57Q42 64 60 57L61 61.5Q42 69 23 61.5Z" />
			<circle cx="42" cy="33" r="11.5" />
		</>}
	</g>;
}

/** A picture of a card. In the position editor its cells are buttons. */
export function CardPicture({ card, flip, label }: { card: Card; flip?(n: number): void; label?: string }) {
	const unit = 16.4, x0 = (cardW - 5 * unit) / 2, y0 = 28;
	const color = card.owner < 0 ? "middle" : card.owner ? "second" : "first";
	return <>
		<rect class="card-shadow" x="2" y="4" width={cardW} height={cardH} rx="9" />
		<rect class="cell paper" width={cardW} height={cardH} rx="9" />
		<rect class="card-line" x="4.5" y="4.5" width={cardW - 9} height={cardH - 9} rx="6" />
		<text x={cardW / 2} y="22" text-anchor="middle">{cardName(card)}</text>
		<path class={`seal ${color}`} d={`M${cardW - 24} ${cardH - 24}h13v13h-13Z`} />
		<g class="turns"
			style={{ transform: `rotate(${card.turned ? 180 : 0}deg)`,
				transformOrigin: `${x0 + 2.5 * unit}px ${y0 + 2.5 * unit}px` }}>
			{Array.from({ length: 25 }, (_, i) => {
				const x = i % 5, y = Math.floor(i / 5);
				const middle = card.middle?.[0] === x && card.middle[1] === y;
				const step = card.steps.some(([a, b]) => a === x && b === y);
				const what = middle ? say("the man") : step ? say("a step") : say("nothing");
				return <rect key={i}
					{...(flip ? button(`${label}: ${say("row {0}, column {1}: {2}", y + 1, x + 1, what)}`, () => flip(i)) : {})}
					class={`${flip ? "can " : ""}square ${middle ? "origin" : step ? color : ""}`} x={x0 + x * unit}
					y={y0 + y * unit} width={unit - 2} height={unit - 2} rx="2.5" />;
			})}
		</g>
	</>;
}

/** The arrow of the last move, with the name of the card that was used. */
export function LastMove({ from, to, card }: { from: Point; to: Point; card?: string }) {
	const length = Math.hypot(to[0] - from[0], to[1] - from[1]),
		angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
	return <g class="last-move" aria-hidden>
		{length > 1 &&
			(<path transform={`translate(${from[0]},${from[1]}) rotate(${angle})`}
				d={`M0 -3.5H${length - 44}V-11L${length - 28} 0L${length - 44} 11V3.5H0Z`} />)}
		{card && <By card={card} at={from} />}
	</g>;
}

// By draws a label with the name of the card that a move used.
function By({ card, at }: { card: string; at: Point }) {
	const wide = card.length * 9.4 + 20;
	return <g class="by" transform={`translate(${at[0]},${at[1]})`}>
		<rect x={-wide / 2} y="-12.5" width={wide} height="25" rx="12.5" />
		<text y="1" text-anchor="middle" dominant-baseline="central">{card}</text>
	</g>;
}

/**
 * Announces the winner: rays around the winning man, and a ribbon that says how the game was won.
 */
export function Win({ at, winner, text, ribbon }: { at?: Point; winner: 0 | 1; text: string; ribbon: Point }) {
	const color = winner ? "second" : "first";
	return <g class="win" aria-hidden>
		{at && <g transform={`translate(${at[0]},${at[1]})`}>
			<g class={`rays ${color}`}>
				{Array.from({ length: 12 }, (_, i) =>
					<path key={i} transform={`rotate(${30 * i})`} d="M-5 -40L0 -60L5 -40Z" />)}
			</g>
		</g>}
		<g class={`ribbon ${color}`} transform={`translate(${ribbon[0]},${ribbon[1]})`}>
			<path class="tails" d="M-206 -13L-186 5L-206 23H-150V-13ZM206 -13L186 5L206 23H150V-13Z" />
			<rect x="-178" y="-21" width="356" height="40" rx="5" />
			<text y="0" text-anchor="middle" dominant-baseline="central">{text}</text>
		</g>
	</g>;
}

/** Describes in words how a game was won. */
export const wonBy = (name: string, takes: boolean, reaches: boolean) =>
	takes ? say("{0} wins: the master is taken", name)
		: reaches ? say("{0} wins: the shrine is reached", name) : say("{0} wins", name);

/** Draws marks as arrows. The best arrow carries the name of its card. */
export function Arrows(
	{ marks, path, card }: { marks: Mark[]; path(action: string): [from: Point, to: Point] | undefined;
		card(action: string): string | undefined },
) {
	const best = marks.find((m) => m.best), by = best && card(best.action), from = best && path(best.action)?.[0];
	return <g class="arrows" aria-hidden>
		{drawn(marks).map((m) => {
			const way = path(m.action);
			if (!way) return null;
			const [from, to] = way, size = 5 + 9 * m.weight, length = Math.hypot(to[0] - from[0], to[1] - from[1]),
				opacity = 0.35 + 0.55 * m.weight;
			if (length < 1) {
				return <circle key={m.action} class={m.best ? "best" : ""} cx={from[0]} cy={from[1]} r={12 + 10 * m.weight}
					opacity={opacity} />;
			}
			const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
			const head = size * 2.4, end = length - 8;
			return <path key={m.action} class={m.best ? "best" : ""} opacity={opacity}
				transform={`translate(${from[0]},${from[1]}) rotate(${angle})`}
				d={`M14 ${-size / 2}H${end - head}V${-head / 1.6}L${end} 0L${end - head} ${head / 1.6}V${size / 2}H14Z`} />;
		})}
		{written(marks, (m) => path(m.action)?.[1].join()).map((m) =>
			<Figures key={m.action} x={path(m.action)![1][0]} y={path(m.action)![1][1] + 10} mark={m} size={16} />
		)}
		{by && from && <By card={by} at={[from[0], from[1] + 28]} />}
	</g>;
}
