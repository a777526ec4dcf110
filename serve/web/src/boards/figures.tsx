// This file writes the figures of a search on a board, next to the target cells of moves.
import type { Mark } from "./board";

/** Writes a move's winning chance and its number of visits around a point of a drawing. */
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

/**
 * Returns the marks to draw: the best one, and all others with enough weight. They are in reverse
 * order, so that the first mark is drawn last, on top.
 */
export const drawn = (marks: Mark[]) => marks.filter(shown).reverse();

/**
 * Returns the marks that get figures (winning chance and visits). If several drawn marks are at the
 * same place, only the first gets figures.
 */
export function written(marks: Mark[], place: (m: Mark) => string | undefined): Mark[] {
	const taken = new Set<string>();
	return marks.filter((m) => {
		const at = m.figures && shown(m) && place(m);
		return !!at && !taken.has(at) && taken.add(at);
	});
}
