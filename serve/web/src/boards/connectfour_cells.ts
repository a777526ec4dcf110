// The cells of Connect Four as text: six rows of seven characters, from the top. The characters are
// x, o, and a dot for a free cell.

const width = 7, height = 6;

/** Returns the rows of a position, or undefined if the text is not a position. */
export const rowsOf = (text: string): string[] | undefined =>
	/^[xo.]{7}(\/[xo.]{7}){5}$/.test(text) ? text.split("/") : undefined;

/** Returns the row of the top disc of a column, counted from the top, or 6 if the column is empty. */
export function topOf(rows: string[], x: number): number {
	const y = rows.findIndex((row) => row[x] !== ".");
	return y < 0 ? height : y;
}

/** Returns the text of a position with other content in one cell. */
export const textOf = (rows: string[], x: number, y: number, content: string) =>
	rows.map((row, r) => (r === y ? row.slice(0, x) + content + row.slice(x + 1) : row)).join("/");

/** Returns the two ends of a line with at least four equal discs, as [column, row], if there is one. */
export function fourIn(rows: string[]): [number, number][] | undefined {
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const disc = rows[y][x];
			if (disc === ".") continue;
			for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
				let n = 1;
				while (rows[y + n * dy]?.[x + n * dx] === disc) n++;
				if (n >= 4) return [[x, y], [x + (n - 1) * dx, y + (n - 1) * dy]];
			}
		}
	}
	return undefined;
}
