// A chart of shares from 0 to 1 over the generations of a run, as a line or as stacked areas. A
// click chooses a generation.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useWidth } from "../dashboard/width";

interface Props {
	x: number[]; // generations
	at: number; // index of the current generation
	go(i: number): void;
	label: string;
}

const left = 46, right = 8, top = 8, bottom = 26; // margins around the drawing, in pixels

export function Line({ values, ...props }: Props & { values: number[] }) {
	const [box, width] = useWidth(), frame = frameOf(props.x, width, 190);
	return <Frame {...props} box={box} frame={frame}>
		<path class="line" d={pathOf(values.map((v, i) => [frame.X(i), frame.Y(v)]))} />
		{values.map((v, i) =>
			<circle key={i} class={i === props.at ? "now" : ""} cx={frame.X(i)} cy={frame.Y(v)}
				r={i === props.at ? 5.5 : 3} />
		)}
	</Frame>;
}

export function Areas({ lines, ...props }: Props & { lines: { name: string; colour: number; values: number[] }[] }) {
	const [box, width] = useWidth(), frame = frameOf(props.x, width, 240);
	const floor = props.x.map(() => 0);
	const areas = lines.map((l) => {
		const low = floor.map((v, i): [number, number] => [frame.X(i), frame.Y(v)]);
		l.values.forEach((v, i) => (floor[i] = Math.min(1, floor[i] + v)));
		return { ...l,
			d: `${pathOf(floor.map((v, i) => [frame.X(i), frame.Y(v)]))}${pathOf(low.reverse()).replace("M", "L")}Z` };
	});
	return <Frame {...props} box={box} frame={frame}>
		<rect class="rest" x={frame.X(0)} y={frame.Y(1)} width={frame.X(props.x.length - 1) - frame.X(0)}
			height={frame.Y(0) - frame.Y(1)} />
		{areas.map((a) =>
			<path key={a.name} class={`area colour-${a.colour}`} d={a.d}>
				<title>{a.name}</title>
			</path>
		)}
	</Frame>;
}

type Place = (v: number) => number;

interface Drawing {
	width: number;
	height: number;
	X: Place; // x coordinate for an index
	Y: Place; // y coordinate for a share
}

function frameOf(x: number[], width: number, height: number): Drawing {
	const low = x[0], span = x[x.length - 1] - low || 1;
	return { width, height, X: (i) => left + ((width - left - right) * (x[i] - low)) / span,
		Y: (v) => height - bottom - v * (height - top - bottom) };
}

const pathOf = (points: [number, number][]) =>
	points.map(([x, y], n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

interface FrameProps extends Props {
	box: ReturnType<typeof useWidth>[0];
	frame: Drawing;
	children: ComponentChildren;
}

function Frame({ x, at, go, label, box, frame: { width, height, X, Y }, children }: FrameProps) {
	const [over, setOver] = useState<number>();
	const nearest = (e: MouseEvent) => {
		const px = e.clientX - (e.currentTarget as Element).getBoundingClientRect().left;
		return x.reduce((best, _, i) => (Math.abs(X(i) - px) < Math.abs(X(best) - px) ? i : best), 0);
	};
	// The label of a generation needs about 44 pixels.
	const step = Math.ceil((x.length * 44) / width);
	return <div ref={box}>
		<svg class="evolution" width={width} height={height} role="img" aria-label={label} onClick={(e) => go(nearest(e))}
			onMouseMove={(e) => setOver(nearest(e))} onMouseLeave={() => setOver(undefined)}>
			<g class="axes">
				{[0, 0.5, 1].map((v) =>
					<g key={v}>
						<path class={v === 0.5 ? "half" : ""} d={`M${left} ${Y(v)}H${width - right}`} />
						<text x={left - 6} y={Y(v) + 4} text-anchor="end">{100 * v} %</text>
					</g>
				)}
				{x.map((g, i) => i % step === 0 && <text key={g} x={X(i)} y={height - 8} text-anchor="middle">{g}</text>)}
			</g>
			{children}
			{over !== undefined && <path class="cross" d={`M${X(over)} ${top}V${height - bottom}`} />}
			<path class="now" d={`M${X(at)} ${top}V${height - bottom}`} />
		</svg>
	</div>;
}
