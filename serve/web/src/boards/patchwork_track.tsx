// The time board of Patchwork: a spiral with buttons and leather patches on it.
import { useRef } from "preact/hooks";
import { say } from "../words";
import { spiral, type Sketch } from "./patches";
import { Button } from "./patchwork_cloth";
import { button, useLeast } from "./tools";

const S = 40; // side length of a square
const middle = (n: number) => [(spiral[n][0] + 0.5) * S, (spiral[n][1] + 0.5) * S];

/**
 * Draws the time board. ahead is the square that the player to move would reach by buying the patch
 * in hand. If put is given, as in the position editor, the squares are buttons that place a token.
 */
export function TimeTrack(
	{ sketch, times, seat, ahead, put }: { sketch: Sketch; times: number[]; seat: number; ahead?: number;
		put?(n: number): void },
) {
	const svg = useRef<SVGSVGElement>(null), last = sketch.finish;
	useLeast(svg);
	const most = Math.max(...times); // leather patches up to this square are already taken
	const border = (n: number) => { // returns the point between a square and the previous one
		const [a, b] = middle(n - 1), [c, d] = middle(n);
		return [(a + c) / 2, (b + d) / 2];
	};
	return <svg ref={svg} class="time-track" viewBox={`-4 -4 ${8 * S + 8} ${7 * S + 8}`} role={put ? "group" : "img"}
		aria-label={say("Time: Blue on {0}, Red on {1}, of {2}", times[0], times[1], last)}>
		<path class="ribbon edge" d={ribbon(last)} />
		<path class="ribbon" d={ribbon(last)} />
		<rect class="finish" x={2 * S + 4} y={3 * S + 4} width={3 * S - 8} height={S - 8} rx="6" />
		{Array.from({ length: last }, (_, n) => {
			const [x, y] = middle(n);
			return <g key={n}>
				{n > 0 && <Step n={n} />}
				<text class="dim" x={x} y={y} text-anchor="middle" dominant-baseline="central">{n}</text>
			</g>;
		})}
		<text class="goal" x={3.9 * S} y={3.5 * S} text-anchor="middle" dominant-baseline="central">{last}</text>
		{sketch.incomes.map((n) => {
			const [x, y] = n === last ? [2.5 * S, 4 * S] : border(n);
			return <Button key={n} x={x} y={y} r={9} />;
		})}
		{sketch.specials.filter((n) => n > most).map((n) => {
			const [x, y] = border(n);
			return <g key={n} class="leather-tile" transform={`translate(${x},${y})`}>
				<title>{say("a special patch")}</title>
				<rect class="patch leather" x="-9" y="-9" width="18" height="18" rx="2" />
				<rect class="stitch" x="-6.5" y="-6.5" width="13" height="13" />
			</g>;
		})}
		{ahead !== undefined &&
			(<circle class={`ghost ${seat ? "second" : "first"}`} cx={at(ahead, last)[0]} cy={at(ahead, last)[1]} r="13" />)}
		{[1 - seat, seat].map((i) => { // the token of the player to move is drawn last, on top
			const [x, y] = at(times[i], last), both = times[0] === times[1] ? (i === seat ? -5 : 5) : 0;
			return <g key={i} class={`token glides quick ${i ? "second" : "first"}`}
				style={{ transform: `translate(${x + both}px,${y + both}px)` }}>
				<ellipse class="shadow" cy="3" rx="13" ry="12" />
				<circle r="12" />
				<circle class="rim" r="8" />
			</g>;
		})}
		{put && Array.from({ length: last + 1 }, (_, n) => {
			const [x, y] = at(n, last);
			return <g key={n} class="can" {...button(say("square {0}", n), () => put(n))}>
				<rect class="cell" x={x - 17} y={y - 17} width="34" height="34" rx="5" />
			</g>;
		})}
	</svg>;
}

const at = (n: number, last: number) => (n === last ? [2.9 * S, 3.5 * S] : middle(n));

// ribbon returns the time track as a line through the middles of its squares.
const ribbon = (last: number) => "M" + Array.from({ length: last }, (_, n) => middle(n).join(" ")).join("L");

// Step draws the border between square n and the previous one.
function Step({ n }: { n: number }) {
	const [a, b] = middle(n - 1), [c, d] = middle(n), x = (a + c) / 2, y = (b + d) / 2, half = S / 2 - 5;
	return <path class="step" d={a === c ? `M${x - half} ${y}h${2 * half}` : `M${x} ${y - half}v${2 * half}`} />;
}
