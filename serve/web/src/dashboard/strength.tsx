// The large chart of the runs' strength, with controls for its axis, smoothing and zoom.
import { number, say } from "../words";
import { ChartPanel, zoomed } from "./chart";
import type { Common, Shown } from "./data";
import { axes, charts, zero } from "./metrics";
import type { View } from "./view";

/**
 * Returns the large chart: the strength, or the results of gate matches if the strength has not
 * been measured yet.
 */
export const large = (runs: Shown[]) => charts[runs.some(({ run }) => run.ladder.rungs.length > 0) ? 0 : 1];

export function Strength({ common, change }: { common: Common; change(changes: Partial<View>): void }) {
	const { x, view, runs } = common;
	const chart = large(runs), rated = runs.find(({ run }) => run.ladder.zero);
	const whole: [number, number] = [x[0], x[x.length - 1]];
	const around = common.hover !== null ? x[common.hover] : (whole[0] + whole[1]) / 2;
	const zoom = (factor: number) =>
		change({ zoom: zoomed(view.zoom ?? whole, x, factor, view.zoom ? (view.zoom[0] + view.zoom[1]) / 2 : around) });
	const log = (axis: "x" | "y") =>
		change({ log: view.log.includes(axis) ? view.log.replace(axis, "") : view.log + axis });
	return <div class="strength">
		<div class="tools">
			<div class="switch" role="group" aria-label={say("X axis")}>
				{axes.map((a) =>
					<label key={a.id} class={a === view.axis ? "on" : ""}>
						<input type="radio" name="axis" value={a.id} checked={a === view.axis} onChange={() =>
							change({ axis: a, zoom: undefined })} />
						{say(a.short)}
					</label>
				)}
			</div>
			<label class="smooth">
				{say("Smoothing")}{" "}
				<input type="range" min={0} max={95} step={5} value={view.smooth} onInput={(e) =>
					change({ smooth: Number(e.currentTarget.value) })} />
				<output>{view.smooth ? number(view.smooth / 100, 2) : "–"}</output>
			</label>
			<span class="row logs" role="group" aria-label={say("Log scale")}>
				<label>
					<input type="checkbox" checked={view.log.includes("x")} onChange={() => log("x")} />
					{say("log X")}
				</label>
				<label>
					<input type="checkbox" checked={view.log.includes("y")} onChange={() => log("y")} />
					{say("log Y")}
				</label>
			</span>
			<span class="row zoom" role="group" aria-label={say("Zoom")}>
				<button onClick={() => zoom(0.5)} aria-label={say("Zoom in")}>+</button>
				<button onClick={() => zoom(2)} aria-label={say("Zoom out")} aria-disabled={!view.zoom}>−</button>
				<button onClick={() => change({ zoom: undefined })} aria-disabled={!view.zoom}>{say("Reset zoom")}</button>
			</span>
		</div>
		<ChartPanel chart={chart} common={common} height={340} />
		<p class="dim small hint">
			{chart === charts[0] && rated && `${say("Elo 0 is {0}.", zero(rated.run))} `}
			{chart !== charts[0] && `${
				runs.every(({ run }) => run.config.gate?.ladder === 0)
					? say("These runs have no ladder (gate.ladder is 0), so the chart shows the gates.")
					: say(
						"The matches of the ladder, which measure strength, have not been played yet. Until then the " +
							"chart shows the gates.",
					)
			} `}
			{say("Click a curve to open that generation with its games and bot. Drag across the chart to zoom " + "in.")}
		</p>
	</div>;
}
