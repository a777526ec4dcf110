// The layout of the board of Ô ăn quan. The board is horizontal, or vertical on a narrow screen.
export type Box = [x: number, y: number, w: number, h: number];
export type Point = [x: number, y: number];

export interface Layout {
	size: [number, number];
	board: Box;
	place(f: number): Box; // box of a field
	outline(f: number): string; // outline of a king's field
	onward(f: number): Point; // direction on the screen to the next field clockwise
	tray(seat: number): Box; // box for the stones that a player has captured
	stones(f: number): Box; // box for the small stones of a field
	king(f: number): Point; // position of the big stone of a field
}

export function layoutOf(upright: boolean): Layout {
	const W = upright ? 156 : 118, H = upright ? 76 : 178, end = upright ? 94 : 128, rim = 10, gap = 10;
	const high = upright ? 66 : 104; // height of a tray, the place for captured stones
	const size: [number, number] = upright ? [2 * W + 2 * rim + 4, 5 * H + 2 * end + 2 * rim + high + gap + 4]
		: [5 * W + 2 * end + 2 * rim + 4, 2 * H + 2 * rim + 2 * (high + gap) + 4];
	const board: Box = [2, 2 + high + gap, size[0] - 4, upright ? 5 * H + 2 * end + 2 * rim : 2 * H + 2 * rim];
	const [left, top] = [board[0] + rim, board[1] + rim];
	const place = (f: number): Box => {
		if (upright) {
			if (f === 0) return [left, top, 2 * W, end];
			if (f === 6) return [left, top + end + 5 * H, 2 * W, end];
			return f < 6 ? [left + W, top + end + (f - 1) * H, W, H] : [left, top + end + (11 - f) * H, W, H];
		}
		if (f === 0) return [left, top, end, 2 * H];
		if (f === 6) return [left + end + 5 * W, top, end, 2 * H];
		return f < 6 ? [left + end + (f - 1) * W, top, W, H] : [left + end + (11 - f) * W, top + H, W, H];
	};
	const outline = (f: number): string => { // a half disc at the end of the board
		const [x, y, w, h] = place(f), m = 3;
		if (upright) {
			return f === 0 ? `M${x + m} ${y + h - m}A${w / 2 - m} ${h - 2 * m} 0 0 1 ${x + w - m} ${y + h - m}Z`
				: `M${x + m} ${y + m}A${w / 2 - m} ${h - 2 * m} 0 0 0 ${x + w - m} ${y + m}Z`;
		}
		return f === 0 ? `M${x + w - m} ${y + m}A${w - 2 * m} ${h / 2 - m} 0 0 0 ${x + w - m} ${y + h - m}Z`
			: `M${x + m} ${y + m}A${w - 2 * m} ${h / 2 - m} 0 0 1 ${x + m} ${y + h - m}Z`;
	};
	return { size, board, place, outline, onward: (f) => {
		const on = f > 0 && f < 6 ? 1 : -1;
		return upright ? [0, on] : [on, 0];
	}, tray: (seat) => {
		if (upright) return [seat === 0 ? size[0] / 2 + 3 : 2, 2, size[0] / 2 - 5, high];
		return [2, seat === 0 ? 2 : size[1] - high - 2, size[0] - 4, high];
	}, stones: (f) => {
		const [x, y, w, h] = place(f);
		if (f % 6) return [x + 10, y + 8, w - 20 - (upright ? 34 : 0), h - (upright ? 16 : 46)];
		if (upright) return [x + w * 0.14, y + (f ? h * 0.08 : h * 0.3), w * 0.34, h * 0.62];
		return [x + (f ? w * 0.06 : w * 0.22), y + h * 0.52, w * 0.72, h * 0.26];
	}, king: (f) => {
		const [x, y, w, h] = place(f);
		return upright ? [x + w * 0.6, y + h * (f ? 0.42 : 0.6)] : [x + w * (f ? 0.44 : 0.56), y + h * 0.33];
	} };
}

/**
 * Returns the centres of n stones that lie in a heap in a box. With one more stone, the new stone
 * lies at the rim and the others stay where they are.
 */
export function heap(n: number, [x, y, w, h]: Box, r: number): Point[] {
	const stretch = Math.sqrt(Math.min(2.2, Math.max(0.45, h / w))),
		reach = Math.min((w / 2 - r) * stretch, (h / 2 - r) / stretch);
	const spread = Math.min(r * 1.12, reach / Math.sqrt(Math.max(1, n - 0.5)));
	return Array.from({ length: n }, (_, i) => {
		const far = n === 1 ? 0 : spread * Math.sqrt(i + 0.5), angle = i * 2.39996 + 0.6; // golden angle
		return [x + w / 2 + (far * Math.cos(angle)) / stretch, y + h / 2 + far * Math.sin(angle) * stretch];
	});
}

/**
 * Returns the centres of n stones in rows. A gap follows every fifth stone of a row, so that the
 * stones are easy to count.
 */
export function rows(n: number, [x, y, w, h]: Box, pitch: number): Point[] {
	const fit = (p: number) => Math.max(1, Math.floor(h / p)) * Math.floor((w / p) * 0.92);
	let step = pitch;
	while (step > 4 && fit(step) < n) step -= 0.5;
	const columns = Math.max(1, Math.floor((w / step) * 0.92));
	const deep = Math.max(1, Math.floor(h / step));
	return Array.from({ length: n }, (_, i) => {
		const column = Math.floor(i / deep) % columns, row = i % deep;
		return [
			x + step / 2 + column * step + Math.floor(column / 5) * step * 0.4,
			y + (h - deep * step) / 2 + (row + 0.5) * step,
		];
	});
}
