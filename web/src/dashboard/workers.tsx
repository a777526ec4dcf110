// Who helps the process that trains a run, as a table.
import type { Run, Worker } from "./live";

const patience = 10_000; // ms; a worker says every two seconds that it is there

export function WorkersTable({ run }: { run: Run }) {
  if (!run.workers) return null;
  const { time, over, workers } = run.workers;
  const here = (w: Worker) => !over && !w.refused && Date.parse(time) - Date.parse(w.seen) < patience;
  const sum = workers.filter(here).reduce((s, w) => s + w.games_per_second, 0);
  return (
    <details class="generations panel workers" open>
      <summary>{run.run}: {workers.filter(here).length} workers, {sum.toFixed(1)} games/s</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Workers of ${run.run}`}>
        <table>
          <thead><tr><th scope="col">worker</th><th scope="col">state</th><th scope="col">games/s</th><th scope="col">at work on</th><th scope="col">tasks done</th><th scope="col">games</th><th scope="col">goroutines</th><th scope="col">system</th><th scope="col">program</th></tr></thead>
          <tbody>
            {workers.map((w) => (
              <tr key={w.name}>
                <th scope="row">{w.name}</th>
                <td>{w.refused ? <span title={w.refused}>refused: {w.refused}</span> : here(w) ? "works" : "away"}</td>
                <td>{here(w) ? w.games_per_second.toFixed(1) : "–"}</td>
                <td>{here(w) ? w.held : "–"}</td>
                <td>{w.tasks}</td><td>{w.games}</td><td>{w.goroutines}</td><td>{w.system}</td><td>{w.program}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
