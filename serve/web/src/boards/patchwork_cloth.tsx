// How the patches of Patchwork look: each has a colour, a weave, seams, stitches and buttons.
import { colours, numberOf, sizeOf, weaves, type Cell, type Patch } from "./patches";

/** The side length of a cell in all drawings of patches, whatever their size on the screen. */
export const U = 40;

/**
 * Defines the patterns and the button to which all drawings of a page refer by id. A board contains
 * these definitions once, in a drawing of size zero.
 */
export function Haberdashery() {
	return <svg class="haberdashery" width="0" height="0" aria-hidden>
		<defs>
			<pattern id="weave-0" width="10" height="10" patternUnits="userSpaceOnUse">
				<path class="light" d="M0 0h3.5v10h-3.5Z" />
			</pattern>
			<pattern id="weave-1" width="13.33" height="13.33" patternUnits="userSpaceOnUse">
				<circle class="light strong" cx="6.67" cy="6.67" r="2.5" />
			</pattern>
			<pattern id="weave-2" width="20" height="20" patternUnits="userSpaceOnUse">
				<path class="light" d="M0 0h10v20h-10Z" />
				<path class="light" d="M0 0h20v10h-20Z" />
			</pattern>
			<pattern id="weave-3" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
				<path class="dark" d="M0 0h4v10h-4Z" />
			</pattern>
			<pattern id="weave-4" width="20" height="20" patternUnits="userSpaceOnUse">
				<path class="light strong"
					d={"M10 10m0-1.5a2.6 2.6 0 1 1 0-4.6a2.6 2.6 0 1 1 0 4.6m1.5 1.5a2.6 2.6 0 1 1 4.6 0a2.6 2.6 0 1 1 -4.6 0m" +
						"-1.5 1.5a2.6 2.6 0 1 1 0 4.6a2.6 2.6 0 1 1 0-4.6m-1.5-1.5a2.6 2.6 0 1 1-4.6 0a2.6 2.6 0 1 1 4.6 0"} />
			</pattern>
			<pattern id="weave-5" width="13.33" height="10" patternUnits="userSpaceOnUse">
				<path class="thread" d="M0 7 3.33 3 10 7 13.33 3" />
			</pattern>
			<pattern id="weave-6" width="13.33" height="13.33" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
				<path class="thread" d="M0 6.67H13.33M6.67 0V13.33" />
			</pattern>
			<symbol id="sew-button" viewBox="0 0 24 24">
				<circle class="disc" cx="12" cy="12" r="11" />
				<circle class="rim" cx="12" cy="12" r="7.6" />
				<path class="holes" d="M9.4 9.4h0m5.2 0h0m0 5.2h0m-5.2 0h0" />
			</symbol>
		</defs>
	</svg>;
}

/** Draws a button within a line of text. */
export const ButtonIcon = () =>
	<svg class="button-icon" viewBox="0 0 24 24" aria-hidden>
		<use href="#sew-button" />
	</svg>;

/** Draws a clock, the sign of time, within a line of text. */
export const Clock = () =>
	<svg class="clock" viewBox="0 0 16 16" aria-hidden>
		<circle cx="8" cy="8" r="6.5" />
		<path d="M8 4.2V8l2.6 1.6" />
	</svg>;

/** Draws a button around a point of a drawing. */
export const Button = ({ x, y, r }: { x: number; y: number; r: number }) =>
	<use class="income" href="#sew-button" x={x - r} y={y - r} width={2 * r} height={2 * r} />;

/** Draws cloth on the given cells: a patch with its buttons, or plain if the patch is unknown. */
export function Cloth({ cells, patch }: { cells: Cell[]; patch?: Patch }) {
	const n = patch ? numberOf(patch) : -1, leather = patch && patch.letter === "h";
	const whole = cells.map(([x, y]) => `M${x * U} ${y * U}h${U}v${U}h-${U}Z`).join("");
	return <>
		<path class={`patch ${leather ? "leather" : n < 0 ? "" : `cloth-${(n * 5) % colours}`}`} d={whole} />
		{!leather && n >= 0 && <path style={{ fill: `url(#weave-${n % weaves})` }} d={whole} />}
		<path class="stitch" d={edge(cells, 0.11)} />
		<path class="seam" d={edge(cells, 0)} />
		{patch &&
			cells.slice(0, patch.income).map(([x, y]) =>
				<Button key={`${x},${y}`} x={(x + 0.5) * U} y={(y + 0.5) * U} r={U * 0.25} />
			)}
	</>;
}

/** Draws a single patch with cells of unit pixels. */
export function Shape({ patch, turn, unit }: { patch: Patch; turn: string; unit: number }) {
	const cells = patch.shapes[turn], [w, h] = sizeOf(cells);
	return <svg class="shape" width={w * unit} height={h * unit} viewBox={`-1 -1 ${w * U + 2} ${h * U + 2}`}>
		<Cloth cells={cells} patch={patch} />
	</svg>;
}

/**
 * Returns the outline of some cells as a path. The path runs within the edge of the cells. The
 * parameter inside is its distance from the edge, as a fraction of a cell.
 */
export function edge(cells: Cell[], inside: number): string {
	const all = new Set(cells.map(String)), has = (x: number, y: number) => all.has(`${x},${y}`);
	let path = "";
	for (const [x, y] of cells) {
		for (const [nx, ny] of [[0, -1], [1, 0], [0, 1], [-1, 0]]) { // for each side of the cell
			if (has(x + nx, y + ny)) continue;
			const [tx, ty] = [-ny, nx]; // direction along the side
			const ends = [-1, 1].map((e) => {
				// The line runs inside the edge. So it is shorter than the side at an outward
				// corner, and longer at an inward corner.
				const on = has(x + e * tx, y + e * ty), corner = has(x + nx + e * tx, y + ny + e * ty);
				const along = e * (0.5 + (!on ? -inside : corner ? inside : 0));
				return `${((x + 0.5 + nx * (0.5 - inside) + tx * along) * U).toFixed(1)} ${
					((y + 0.5 + ny * (0.5 - inside) + ty * along) * U).toFixed(1)
				}`;
			});
			path += `M${ends[0]}L${ends[1]}`;
		}
	}
	return path;
}
