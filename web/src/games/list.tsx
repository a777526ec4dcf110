// The list of a run's games: which, in which order, a page at a time.
import { useEffect, useState } from "preact/hooks";
import { boardOf } from "../boards";
import { number, phrase, say } from "../words";
import { listOf, type Address, type GameList, type Listed } from "./api";

const size = 50; // games on a page

const columns: { id: string; title: string; about: string; of(g: Listed): string }[] = [
  { id: "length", title: phrase("Length"), about: phrase("actions"), of: (g) => number(g.length) },
  { id: "swing", title: phrase("Swing"), about: phrase("the largest change of the search's value from one position to the next, up to 2"), of: (g) => (g.swing === null ? "–" : number(g.swing, 2)) },
  { id: "surprise", title: phrase("Surprise"), about: phrase("how far the search's values were from the outcome in the mean, up to 2"), of: (g) => (g.surprise === null ? "–" : number(g.surprise, 2)) },
];

interface Props {
  run: string;
  game: string; // of the run
  runs: string[];
  query: URLSearchParams;
  address: Address;
}

export function List({ run, game, runs, query, address }: Props) {
  const [list, setList] = useState<GameList>();
  const [error, setError] = useState("");
  const source = query.get("source") ?? "selfplay";
  const sort = query.get("sort") ?? "number", order = query.get("order") ?? "up";
  const offset = Number(query.get("offset") ?? 0);
  const asked = { source, generation: query.get("of") ?? (query.get("generation") || "newest"), sort, order, offset: String(offset), limit: String(size) };
  const key = run + JSON.stringify(asked);
  useEffect(() => {
    let gone = false;
    setError("");
    // The server reads a long list a part at a time.
    const ask = async () => {
      for (;;) {
        const l = await listOf(run, asked);
        if (gone) return;
        setList(l);
        if (l.generation !== "all" || l.read + l.left >= l.generations.length) return;
      }
    };
    ask().catch((e: Error) => !gone && (setError(e.message), setList(undefined)));
    return () => void (gone = true);
  }, [key]);
  const go = (changes: Record<string, string>) => (location.hash = address({ offset: "", ...changes }));
  return (
    <section class="list panel" aria-label={say("List of games")}>
      <div class="row">
        {runs.length > 1 && (
          <label>{say("Run")}{" "}
            <select value={run} onChange={(e) => go({ run: e.currentTarget.value, of: "", number: "", generation: "", ply: "" })}>
              {runs.map((r) => <option key={r}>{r}</option>)}
            </select>
          </label>
        )}
        <label>{say("Games of")}{" "}
          <select value={source} onChange={(e) => go({ source: e.currentTarget.value, of: "", sort: "", order: "", number: "", generation: "", ply: "" })}>
            <option value="selfplay">{say("self-play")}</option>
            <option value="gate">{say("the gates")}</option>
          </select>
        </label>
        <label>{say("Generation")}{" "}
          <select value={list?.generation ?? ""} onChange={(e) => go({ of: e.currentTarget.value })}>
            {list?.generations.toReversed().map((g) => <option key={g} value={String(g)}>{g}</option>)}
            {list && list.generations.length > 0 && <option value="all">{say("all")}</option>}
          </select>
        </label>
      </div>
      {error && <p class="error" role="alert">{error}</p>}
      {!list && !error && <p class="loading" role="status">{say("Loading …")}</p>}
      {list && (list.total === 0
        ? <p class="empty">{source === "gate" ? say("No gate was held yet.") : say("No game is finished yet: games appear when the first shard is written.")}</p>
        : <>
            <Rows list={list} game={game} query={query} address={address} sort={sort} order={order} />
            {source !== "gate" && <p class="dim small explained">{columns.filter((c) => c.id !== "length").map((c) => `${say(c.title)}: ${say(c.about)}. `)}</p>}
            <Pages list={list} address={address} />
          </>)}
    </section>
  );
}

function Rows({ list, game, query, address, sort, order }: { list: GameList; game: string; query: URLSearchParams; address: Address; sort: string; order: string }) {
  const gate = list.source === "gate";
  const { side } = boardOf(game);
  const here = (g: Listed) => query.get("number") === String(g.number) && query.get("generation") === String(g.generation);
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <Heading id="number" title={say("Game")} about={say("in the order in which they were played")} sort={sort} order={order} address={address} />
            {gate && <th scope="col">{say("First – Second")}</th>}
            <Heading id="outcome" title={say("Winner")} about={say("by who won")} sort={sort} order={order} address={address} />
            {columns.filter((c) => !gate || c.id === "length").map((c) => <Heading key={c.id} id={c.id} title={say(c.title)} about={say(c.about)} sort={sort} order={order} address={address} />)}
          </tr>
        </thead>
        <tbody>
          {list.games.map((g) => (
            <tr key={`${g.generation}/${g.number}`} class={here(g) ? "here" : ""}>
              <th scope="row"><a href={address({ source: g.source, generation: String(g.generation), number: String(g.number), ply: "" })} aria-current={here(g) ? "true" : undefined}>{list.generation === "all" ? `${g.generation} / ${g.number}` : g.number}</a></th>
              {gate && <td>{g.first} – {g.second}</td>}
              <td><span class={`winner ${g.outcome}`}>{g.outcome === "draw" ? say("draw") : side(g.outcome)}</span></td>
              {columns.filter((c) => !gate || c.id === "length").map((c) => <td key={c.id} class="number">{c.of(g)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// A heading sorts by its column; numbers begin with the largest.
function Heading({ id, title, about, sort, order, address }: { id: string; title: string; about: string; sort: string; order: string; address: Address }) {
  const first = id === "number" || id === "outcome" ? "up" : "down";
  const next = sort === id && order === first ? (first === "up" ? "down" : "up") : first;
  return (
    <th scope="col" aria-sort={sort === id ? (order === "up" ? "ascending" : "descending") : undefined}>
      <a href={address({ sort: id, order: next, offset: "" })} title={about}>{title}<span aria-hidden="true">{sort === id ? (order === "up" ? " ▴" : " ▾") : ""}</span></a>
    </th>
  );
}

function Pages({ list, address }: { list: GameList; address: Address }) {
  const last = Math.min(list.offset + size, list.total);
  const reading = list.generation === "all" && list.read + list.left < list.generations.length;
  return (
    <p class="pages">
      {list.offset > 0 ? <a href={address({ offset: String(Math.max(0, list.offset - size)) })}>{say("previous")}</a> : <span>{say("previous")}</span>}
      <span>{say("{0} to {1} of {2}", list.offset + 1, last, list.total)}</span>
      {last < list.total ? <a href={address({ offset: String(list.offset + size) })}>{say("next")}</a> : <span>{say("next")}</span>}
      {reading && <span role="status">{say("reading: {0} of {1} generations", list.read, list.generations.length)}</span>}
      {list.left > 0 && <span>{say("without the oldest generations: {0}", list.left)}</span>}
    </p>
  );
}
