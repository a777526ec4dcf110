// The layout of the board and of the five cards of Onitama. On a wide screen, the cards form a
// column next to the board. On a narrow screen, each card lies in front of its owner.
import type { Card } from "./cards_text";

export const S = 84; // side length of a cell
export const cardW = 150, cardH = 118; // size of a card before scaling

export interface Layout {
	size: [number, number];
	left: number; // top left corner of the cells
	top: number;
	scale: number; // scale of the cards
	/**
	 * Returns the top left corner of a card. nth is the card's index among the cards of its owner.
	 */
	card(card: Card, nth: number): [number, number];
	// ask is the y coordinate of the middle of the text that asks the player First to choose a
	// card. For Second, the coordinate is mirrored.
	ask: number;
}

/**
 * The largest font size at which a name fits on its card. In a wide font (DejaVu Serif) a letter's
 * average width is 0.62 times the font size.
 */
export const nameSize = (name: string) => (cardW - 6) / (0.62 * name.length);

const frame = 12; // width of the frame around the cells

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
		// There is more space above and below the middle card than between other cards.
		const row = c.owner === 1 ? nth : c.owner < 0 ? 2 : 3 + nth, apart = row < 2 ? 0 : row === 2 ? 1.2 : 2.4;
		return [axis + board + 18, 4 + row * (h + gap) + apart * gap];
	}, ask: top + 5 * S + frame };
}
