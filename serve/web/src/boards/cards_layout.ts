// Where the board and the five cards of Onitama lie: the cards in a column beside the board or, on a
// narrow screen, in front of their owners.
import type { Card } from "./cards_text";

export const S = 84; // side of a cell
export const cardW = 150, cardH = 118; // of a card before it is scaled

export interface Layout {
	size: [number, number];
	left: number; // the corner of the cells
	top: number;
	scale: number; // of cards
	/** The corner of a card, which is the nth of its owner. */
	card(card: Card, nth: number): [number, number];
	ask: number; // the middle of the line that asks for a card, for first; for second it is mirrored
}

/**
 * The largest size of letters at which a name fits on its card: a letter of a wide font, DejaVu Serif, is 0.62 times as
 * wide as high, on average.
 */
export const nameSize = (name: string) => (cardW - 6) / (0.62 * name.length);

const frame = 12; // around the cells

export function layoutOf(narrow: boolean): Layout {
	const board = 5 * S + 2 * frame, axis = 20;
	if (narrow) {
		const gap = 8, w = (board + axis - 2 * gap - 4) / 3, scale = w / cardW, h = cardH * scale;
		const left = axis + frame, top = h + gap + frame + 4;
		return { size: [axis + board + 4, 2 * (h + gap) + board + axis + 6], left, top, scale, card: (c, nth) => {
			const above = c.owner === 1 || (c.owner < 0 && c.turned);
			return [2 + (c.owner < 0 ? 2 : nth) * (w + gap), above ? 2 : top + board - frame + axis + gap - 2];
		}, ask: top + 5 * S + frame };
	}
	const scale = 0.74, h = cardH * scale, left = axis + frame, top = frame + 4, high = board + axis,
		gap = (high - 5 * h) / 6.4;
	return { size: [axis + board + 20 + cardW * scale + 6, high + 10], left, top, scale, card: (c, nth) => {
		// the gaps around the one in the middle are wider
		const row = c.owner === 1 ? nth : c.owner < 0 ? 2 : 3 + nth, apart = row < 2 ? 0 : row === 2 ? 1.2 : 2.4;
		return [axis + board + 18, 4 + row * (h + gap) + apart * gap];
	}, ask: top + 5 * S + frame };
}
