// The dashboard of some runs, live or as a report.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ChartPanel } from "./chart";
import { places, type Shown } from "./data";
import type { Connection, Run } from "./live";
import { many, phrase, say } from "../words";
import { NoRun } from "./empty";
import { WorkersTable } from "./workers";
import { axes, charts, duration, format, unitOf, worked, zero } from "./metrics";

interface Props {
  runs: Run[];
  connection?: Connection; // without one the runs are as they were at some time
}

const colours = 8; // --run-0 to --run-7

export function Dashboard({ runs: listed, connection }: Props) {
  const { game, games, choose, missing } = useGame(listed);
  const runs = useMemo(() => listed.filter((r) => r.game === game || r.game === ""), [listed, game]);
  const [hidden, setHidden] = useState<string[]>([]);
  const [axis, setAxis] = useState(axes[0]);
  const [hover, setHover] = useState<number | null>(null);
  const all = useMemo(() => runs.map((run, i): Shown => ({ run, colour: i % colours })), [runs]);
  const shown = useMemo(() => all.filter(({ run }) => !hidden.includes(run.run) && run.generations.length > 0), [all, hidden]);
  const x = useMemo(() => places(shown, axis), [shown, axis]);
  const place = hover !== null && hover < x.length ? hover : null;
  const toggle = (id: string) => setHidden(hidden.includes(id) ? hidden.filter((h) => h !== id) : [...hidden, id]);
  if (!runs.length) return <NoRun />;
  return (
    <div class="dashboard">
      <div class="top">
        <h1>{runs.length === 1 ? runs[0].run : say("Runs")}</h1>
        {connection && <State connection={connection === "lost" && runs.every((r) => r.stage.name === "complete") ? "ended" : connection} />}
        {games.length > 1 && (
          <label class="game">{say("Game")}{" "}
            <select value={game} onChange={(e) => choose(e.currentTarget.value)}>
              {games.map((g) => <option key={g} value={g}>{g} ({listed.filter((r) => r.game === g).length})</option>)}
            </select>
          </label>
        )}
        <label class="axis">{say("Along")}{" "}
          <select value={axis.id} onChange={(e) => setAxis(axes.find((a) => a.id === e.currentTarget.value)!)}>
            {axes.map((a) => <option key={a.id} value={a.id}>{say(a.title)}</option>)}
          </select>
        </label>
      </div>
      {missing && <p class="error" role="alert">{missing}</p>}
      <div class="runs">
        {all.map((s) => <RunCard key={s.run.run} shown={s} live={!!connection} visible={!hidden.includes(s.run.run)} toggle={s.run.game && runs.filter((r) => r.game).length > 1 ? () => toggle(s.run.run) : undefined} />)}
      </div>
      {connection && all.map((s) => <WorkersTable key={s.run.run} run={s.run} />)}
      {x.length > 0 ? (
        <>
          <div class="charts">
            {charts.map((c) => <ChartPanel key={c.id} chart={c} runs={shown} axis={axis} x={x} hover={place} onHover={setHover} />)}
          </div>
          <Settings runs={shown.map((s) => s.run)} />
          {shown.map((s) => <Generations key={s.run.run} run={s.run} />)}
        </>
      ) : (
        <p class="empty">{all.some(({ run }) => run.generations.length > 0)
          ? say("All runs are hidden: choose one above.")
          : say("No generation is complete yet. Curves begin when the first games are played, a candidate is trained and its gate is held.")}</p>
      )}
    </div>
  );
}

// useGame tells whose runs are shown: Elo and losses of different games cannot be compared. The
// address names a game or one of its runs, as in #runs?game=onitama or #runs?run=mine; otherwise
// it is the game of the first run. A run whose configuration cannot be read has no game and is
// shown beside those of every game.
function useGame(runs: Run[]) {
  const [query, setQuery] = useState(queryOfAddress);
  useEffect(() => {
    const moved = () => setQuery(queryOfAddress());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const games = [...new Set(runs.map((r) => r.game))].filter((g) => g !== "");
  const run = query.get("run"), named = runs.find((r) => r.run === run), game = query.get("game") ?? named?.game;
  const known = game !== undefined && games.includes(game);
  return {
    games, game: known ? game : games[0],
    choose: (game: string) => (location.hash = `#runs?${new URLSearchParams({ game })}`),
    missing: known || named ? "" : game !== undefined ? say("There is no run of {0} here.", game) : run !== null ? say("There is no run {0} here.", run) : "",
  };
}

function queryOfAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.split("?", 2)[1]);
}

// A server that is gone is no loss if all its runs are complete: that of "dojo train --serve" ends with its run.
function State({ connection }: { connection: Connection | "ended" }) {
  const text = { connecting: phrase("connecting …"), live: phrase("live"), lost: phrase("connection lost, trying again …"), ended: phrase("all is shown; the server has ended") }[connection];
  return <span class={`state ${connection}`} role="status">{say(text)}</span>;
}

function RunCard({ shown: { run, colour }, visible, toggle, live }: { shown: Shown; visible: boolean; toggle?: () => void; live: boolean }) {
  const dot = <span class={`dot colour-${colour}`} aria-hidden="true" />;
  return (
    <section class={`run panel${visible ? "" : " unticked"}`} aria-label={say("Run {0}", run.run)}>
      <h2>
        {toggle ? <label><input type="checkbox" checked={visible} onChange={toggle} />{dot}{run.run}</label> : <>{dot}{run.run}</>}
      </h2>
      {run.error && <p class="error" role="alert">{run.error}</p>}
      {run.game && <Facts run={run} live={live} />}
    </section>
  );
}

function Facts({ run, live }: { run: Run; live: boolean }) {
  const best = run.generations.at(-1)?.best;
  const strength = run.ladder.rungs.at(-1);
  const done = run.generations.length;
  const now = useNow(live);
  const quiet = run.stage.written ? (now - Date.parse(run.stage.written)) / 1000 : 0; // seconds
  const rests = run.stage.name === "complete" || !live || quiet > 600;
  return (
    <>
      <p class="dim"><span class="network">{run.game} · {run.network}</span> · {say("{0} simulations a move", run.simulations)} · {say("seed {0}", String(run.seed))}</p>
      <dl>
        <div><dt>{say("Generations")}</dt><dd>{done} <small>{say("of {0}", run.planned)}</small></dd></div>
        <div><dt>{say("Best model")}</dt><dd>{!best ? say("none yet") : best === "uniform" ? <span class="dim">{say("no gate won yet")}</span> : best}</dd></div>
        <div title={say(charts[0].about)}><dt>{say("Strength")}</dt><dd>{strength ? <>{format(strength.elo, charts[0])} <small>{say("Elo above {0}", zero(run))}</small></> : "–"}</dd></div>
        <div><dt>{rests ? say("Took") : say("Left, about")}</dt><dd>{rests ? duration(took(run, done)) : left(run)}</dd></div>
      </dl>
      <Progress run={run} live={live} quiet={quiet} />
    </>
  );
}

// took is the seconds of work of the newest n generations.
function took(run: Run, n: number): number {
  const ends = worked(run);
  return (ends.at(-1) ?? 0) - (ends.at(-1 - n) ?? 0);
}

function left(run: Run): string {
  const n = Math.min(run.generations.length, 5);
  return n ? duration((took(run, n) / n) * (run.planned - run.generations.length)) : "–";
}

const stageNames: { [name: string]: string } = { "self-play": phrase("self-play"), train: phrase("train"), gate: phrase("gate"), ladder: phrase("ladder") };

function Progress({ run: { stage, planned }, live, quiet }: { run: Run; live: boolean; quiet: number }) {
  if (stage.name === "complete" || !live) {
    return stage.name === "complete" ? <p class="progress">{say("complete")}</p> : <p class="progress">{say("stopped in {0} of generation {1}", say(stageNames[stage.name]), stage.generation)}</p>;
  }
  const stages = Object.keys(stageNames);
  return (
    <div class="progress">
      <div class="stages">
        {stages.map((name) => <span key={name} class={name === stage.name ? "now" : stages.indexOf(name) < stages.indexOf(stage.name) ? "done" : ""}>{say(stageNames[name])}</span>)}
      </div>
      <progress value={stage.total ? stage.done : undefined} max={stage.total || 1} aria-label={say("{0} of generation {1}", say(stageNames[stage.name]), stage.generation)} />
      <span class="dim">
        {say("generation {0} of {1}", stage.generation, planned - 1)}{stage.total > 0 && `: ${stage.name === "train" ? say("{0} of {1} steps", stage.done, stage.total) : say("{0} of {1} games", stage.done, stage.total)}`}
        {stage.remark && `, ${stage.remark}`}
        {quiet > 30 && `; ${say("nothing written for {0}", duration(quiet))}`}
      </span>
    </div>
  );
}

// useNow is the time, every few seconds.
function useNow(live: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(Date.now()), 5000);
    return () => clearInterval(timer);
  }, [live]);
  return now;
}

// The runs' settings; of several runs first those in which they differ.
function Settings({ runs }: { runs: Run[] }) {
  const columns = runs.map((r) => new Map(flat(r.config)));
  const keys = [...new Set(columns.flatMap((c) => [...c.keys()]))];
  const differs = (key: string) => columns.some((c) => c.get(key) !== columns[0].get(key));
  const sorted = [...keys.filter(differs), ...keys.filter((k) => !differs(k))];
  return (
    <details class="generations panel">
      <summary>{say("Settings")}{runs.length > 1 && `: ${many(keys.filter(differs).length, "{0} differs", "{0} differ")}`}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={say("Settings")}>
        <table>
          <thead><tr><th scope="col">{say("setting")}</th>{runs.map((r) => <th scope="col" key={r.run}>{r.run}</th>)}</tr></thead>
          <tbody>
            {sorted.map((key) => <tr key={key} class={differs(key) ? "differs" : ""}><th scope="row">{key}</th>{columns.map((c, i) => <td key={i}>{c.get(key) ?? "–"}</td>)}</tr>)}
          </tbody>
        </table>
      </div>
    </details>
  );
}

// flat lists settings by their whole names: mcts.simulations.
function flat(config: unknown, above = ""): [string, string][] {
  if (typeof config !== "object" || config === null) return [[above, String(config)]];
  return Object.entries(config).flatMap(([key, value]) => flat(value, above ? `${above}.${key}` : key));
}

// The same as numbers, for those who read them so.
function Generations({ run }: { run: Run }) {
  const columns = charts.flatMap((chart) => chart.lines.map((line) => ({ chart, line })))
    .filter(({ line }) => run.generations.some((g) => line.value(g, run) != null));
  return (
    <details class="generations panel">
      <summary>{say("{0} as a table", run.run)}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={say("{0} as a table", run.run)}>
        <table>
          <thead>
            <tr><th scope="col">{say("generation")}</th><th scope="col">{say("gate")}</th>{columns.map(({ chart, line }) => <th scope="col" key={chart.id + line.name}>{say(chart.title)}{chart.lines.length > 1 && `, ${say(line.name)}`}{chart.unit && <small> {unitOf(chart)}</small>}</th>)}</tr>
          </thead>
          <tbody>
            {run.generations.map((g) => (
              <tr key={g.generation}>
                <th scope="row">{g.generation}</th>
                <td>+{g.gate.wins} −{g.gate.losses} ={g.gate.draws}, {g.gate.promoted ? say("promoted") : say("not promoted")}</td>
                {columns.map(({ chart, line }) => <td key={chart.id + line.name}>{format(line.value(g, run), chart)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
