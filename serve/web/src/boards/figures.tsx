// What a search says of a move, written where the move goes.
import type { Mark } from "./board";

/** The chance to win and the visits of a move, around a place of a drawing. */
export function Figures({ x, y, mark, size = 15 }: { x: number; y: number; mark: Mark; size?: number }) {
	if (!mark.figures) return null;
	const font = `max(${size}px, var(--least, 0px))`;
	return <g class={`figures ${mark.best ? "best" : ""}`} data-of={mark.action} transform={`translate(${x},${y})`}
		aria-hidden>
		<text style={`font-size: ${font}`}>{mark.figures[0]}</text>
		<text style={`font-size: calc(0.8 * ${font})`} dy="1.15em">{mark.figures[1]}</text>
	</g>;
}

const shown = (m: Mark) => m.best || m.weight > 0.02;

/** The marks that are drawn, the first of them last, on top: the best, and others that weigh something. */
export const drawn = (marks: Mark[]) => marks.filter(shown).reverse();

/** The marks whose figures are written: the first at each place, of the marks that are drawn. */
export function written(marks: Mark[], place: (m: Mark) => string | undefined): Mark[] {
	const taken = new Set<string>();
	return marks.filter((m) => {
		const at = m.figures && shown(m) && place(m);
		return !!at && !taken.has(at) && taken.add(at);
	});
}
