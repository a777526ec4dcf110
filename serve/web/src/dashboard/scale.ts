// The scales of a chart's axes. A scale converts between values and places, and chooses the values
// of ticks.

/** A scale maps values to places from 0 to 1. */
export interface Scale {
	low: number;
	high: number;
	place(x: number): number;
	value(place: number): number; // the value at a place
	ticks(most: number): number[]; // returns round values within the scale, at most `most`
}

const isLog = (low: number, high: number) => low > 0 && high > low;

/**
 * Returns a scale from low to high. With log the scale is logarithmic. If low is not positive, it
 * uses the inverse hyperbolic sine, which is similar to the logarithm for large values.
 */
export function scaleOf(low: number, high: number, log: boolean): Scale {
	if (low === high) [low, high] = [low - 1, high + 1];
	const [to, from] = !log ? [(x: number) => x, (y: number) => y]
		: isLog(low, high) ? [Math.log, Math.exp] : [Math.asinh, Math.sinh];
	const a = to(low), b = to(high);
	return { low, high, place: (x) => (to(x) - a) / (b - a), value: (p) => from(a + p * (b - a)),
		ticks: (
			most,
		) => (log && (high > 20 * Math.max(low, 1) || high > 20 * low && low > 0) ? powers(low, high, most)
			: rounds(low, high, most)) };
}

// rounds lists the multiples of a step within a range. The step is 1, 2 or 5 times a power of ten.
function rounds(low: number, high: number, most: number): number[] {
	const least = (high - low) / Math.max(1, most);
	const power = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= least * (1 - 1e-9))!;
	const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
	return Array.from({ length: last - first + 1 }, (_, i) => +((first + i) * step).toPrecision(12));
}

// powers lists the numbers within a range that are 1, 2 or 5 times a power of ten. If these are too
// many, it lists only powers of ten. If the range includes 0 or negative values, the list does too.
function powers(low: number, high: number, most: number): number[] {
	for (const digits of [[1, 2, 5], [1, 3], [1]]) {
		const positive = Array.from({ length: 24 }, (_, i) => i - 8).flatMap((e) =>
			digits.map((d) => +(d * 10 ** e).toPrecision(3))
		).filter((x) => low > 0 || x >= 1);
		const all = [...positive.map((x) => -x).reverse(), 0, ...positive].filter((x) => x >= low && x <= high);
		if (all.length <= most || digits.length === 1) return all;
	}
	return [];
}
