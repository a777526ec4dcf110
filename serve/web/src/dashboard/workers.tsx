// The table of the workers of a run.
import { many, number, phrase, say } from "../words";
import { awayAfter, type Worker } from "../wire";
import type { Run } from "./live";

const heads = [
	phrase("worker"),
	phrase("state"),
	phrase("games/s"),
	phrase("tasks in progress"),
	phrase("tasks done"),
	phrase("games"),
	phrase("goroutines"),
	phrase("system"),
	phrase("program"),
];

export function WorkersTable({ run }: { run: Run }) {
	if (!run.workers) return null;
	const { time, over, workers } = run.workers;
	const here = (w: Worker) => !over && !w.refused && Date.parse(time) - Date.parse(w.seen) < awayAfter;
	const sum = workers.filter(here).reduce((s, w) => s + w.games_per_second, 0);
	return <details class="generations panel workers" open>
		<summary>
			{many(workers.filter(here).length, "{1}: {0} worker, {2} games/s", "{1}: {0} workers, {2} games/s", run.run,
				number(sum, 1))}
		</summary>
		<div class="scroll" tabIndex={0} role="region" aria-label={say("Workers of {0}", run.run)}>
			<table>
				<thead>
					<tr>{heads.map((text) => <th key={text} scope="col">{say(text)}</th>)}</tr>
				</thead>
				<tbody>
					{workers.map((w) =>
						<tr key={w.name}>
							<th scope="row">{w.name}</th>
							<td>
								{w.refused ? <span title={w.refused}>{say("banned: {0}", w.refused)}</span>
									: here(w) ? say("working") : say("offline")}
							</td>
							<td>{here(w) ? number(w.games_per_second, 1) : "–"}</td>
							<td>{here(w) ? w.held : "–"}</td>
							<td>{w.tasks}</td>
							<td>{w.games}</td>
							<td>{w.goroutines}</td>
							<td>{w.system}</td>
							<td>{w.program}</td>
						</tr>
					)}
				</tbody>
			</table>
		</div>
	</details>;
}
