// This part of the dashboard shows what a run is doing.
import { useEffect, useState } from "preact/hooks";
import { phrase, say } from "../words";
import type { Run } from "./live";
import { duration, worked } from "./metrics";

const names: { [name: string]: string } = { "self-play": phrase("self-play"), train: phrase("train"),
	gate: phrase("gate"), ladder: phrase("ladder"), verify: phrase("verification") };

/** Shows the stage of a run in a few words, with a progress bar. */
export function Stage({ run, live }: { run: Run; live: boolean }) {
	const { stage } = run;
	const quiet = useQuiet(run, live);
	if (stage.name === "complete") return <>{say("complete")}</>;
	if (!live || quiet > 600) {
		return <>{say("stopped during {0} of generation {1}", say(names[stage.name]), stage.generation)}</>;
	}
	return <span class="stage">
		<progress value={stage.total ? stage.done : undefined} max={stage.total || 1}
			aria-label={say("{0} of generation {1}", say(names[stage.name]), stage.generation)} />
		<small>{say(names[stage.name])} {left(run)}</small>
	</span>;
}

/** Shows a running run: its stages, the progress of the present stage, and the remaining time. */
export function AtWork({ run }: { run: Run }) {
	const { stage, planned } = run;
	const quiet = useQuiet(run, true);
	if (stage.name === "complete" || quiet > 600) return null;
	const order = Object.keys(names);
	const done = stage.name === "train" ? say("{0} of {1} steps", stage.done, stage.total)
		: say("{0} of {1} games", stage.done, stage.total);
	return <section class="at-work panel" aria-label={say("Run {0}", run.run)}>
		<h2>{run.run}</h2>
		<div class="stages">
			{order.map((name) =>
				<span key={name}
					class={name === stage.name ? "now" : order.indexOf(name) < order.indexOf(stage.name) ? "done" : ""}>
					{say(names[name])}
				</span>
			)}
		</div>
		<progress value={stage.total ? stage.done : undefined} max={stage.total || 1}
			aria-label={say("{0} of generation {1}", say(names[stage.name]), stage.generation)} />
		<span class="dim">
			{say("generation {0} of {1}", stage.generation, planned - 1)}
			{stage.total > 0 && `: ${done}`}
			{stage.remark && `, ${stage.remark}`}
			{left(run) && `; ${left(run)}`}
			{quiet > 30 && `; ${say("no file written for {0}", duration(quiet))}`}
		</span>
	</section>;
}

// left estimates how long the remaining generations will take, based on the time of the newest
// five.
function left(run: Run): string {
	const n = Math.min(run.generations.length, 5), ends = worked(run);
	if (!n) return "";
	const took = ends[ends.length - 1] - (ends.at(-1 - n) ?? 0);
	return say("about {0} left", duration((took / n) * (run.planned - run.generations.length)));
}

// useQuiet returns the number of seconds since a run last wrote a file.
function useQuiet({ stage }: Run, live: boolean): number {
	const [now, setNow] = useState(Date.now());
	useEffect(() => {
		if (!live || stage.name === "complete") return;
		const timer = setInterval(() => setNow(Date.now()), 5000);
		return () => clearInterval(timer);
	}, [live, stage.name]);
	return stage.written ? (now - Date.parse(stage.written)) / 1000 : 0;
}
