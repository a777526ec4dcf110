// The page on which one learns from one's games: mistakes come again, at growing distances.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Backend, Model, Position } from "../backend/backend";
import { boardOf } from "../boards";
import { useNarrow } from "../boards/tools";
import { addCards, dropCard, dropGame, dueCards, keptCards, keptGames, rate, readPuzzles, type Card } from "../learn/store";
import { download, useLanguage, useLine } from "../play/hooks";
import { outcomeValue } from "../play/search";
import { t, type Words } from "../words";

export default function Learn({ backend }: { backend: Backend }) {
  const [models, setModels] = useState<Model[]>();
  const [error, setError] = useState("");
  const [changed, setChanged] = useState(0);
  useEffect(() => { backend.models().then(setModels, (e: Error) => setError(e.message)); }, []);
  const games = useMemo(() => [...new Set(models?.map((m) => m.game))], [models]);
  const due = useMemo(() => dueCards(games), [games, changed]);
  const [language] = useLanguage(boardOf(due[0]?.game ?? games[0] ?? ""));
  const words = t(language), again = () => setChanged((n) => n + 1);
  if (error) return <p class="error" role="alert">{error}</p>;
  if (!models) return <p class="loading" role="status">Loading …</p>;
  const model = models.find((m) => m.game === due[0]?.game)?.id;
  return (
    <div class="learn" lang={language}>
      {due.length ? <Puzzle key={due[0].position} card={due[0]} left={due.length} backend={backend} model={model} words={words} done={again} />
        : <section class="panel"><h1>{words("learn")}</h1><p id="none">{keptCards().length ? words("noneDue", keptCards().length) : words("noCards")}</p></section>}
      <Collection backend={backend} words={words} changed={again} count={changed} />
    </div>
  );
}

// Puzzle asks for the best move of a position.
function Puzzle({ card, left, backend, model, words, done }: { card: Card; left: number; backend: Backend; model?: string; words: Words; done(): void }) {
  const [at, setAt] = useState<Position>();
  const [said, setSaid] = useState<"" | "thinking" | "right" | "alsoGood" | "wrong" | "shown">("");
  const [failed, setFailed] = useState(false);
  const [error, setError] = useState("");
  const ui = boardOf(card.game), [language] = useLanguage(ui);
  useNarrow();
  useEffect(() => { backend.follow(card.game, card.position, []).then(([p]) => setAt(p), (e: Error) => setError(e.message)); }, [card]);
  const over = said === "right" || said === "alsoGood" || said === "shown";
  const line = useLine(backend, at, over && at ? { move: card.best, line: card.line, visits: 0, prior: 0, value: card.value } : undefined);

  const tried = async (action: string) => {
    if (!at || over || said === "thinking") return;
    if (action === card.best) { setSaid("right"); return; }
    setSaid("thinking");
    try {
      const [, after] = await backend.follow(at.game, at.position, [action]);
      const value = outcomeValue(after) ?? (await backend.analyse({ game: at.game, position: after.position, model, simulations: 800 }, () => {}, new AbortController().signal)).value;
      const loss = (at.to_move === "first" ? 1 : -1) * (card.value - value);
      if (loss >= 0.1) setFailed(true);
      setSaid(loss < 0.1 ? "alsoGood" : "wrong");
    } catch (e) {
      setError((e as Error).message);
    }
  };
  const next = () => { rate(card, !failed); done(); };
  const texts = { "": words("findBetter"), thinking: words("judging"), right: words("right"), alsoGood: words("alsoGood"), wrong: words("wrong"), shown: words("shown") };
  const name = (move: string) => (at ? ui.words(at, move, language) : move);
  return (
    <section class="room">
      <div class="stage">
        {at && <ui.Board position={line?.positions[line.at] ?? at} previous={line ? line.positions[line.at - 1] ?? at : undefined} language={language}
          marks={over && !line ? [{ action: card.best, weight: 1, best: true }] : undefined} onAct={over || said === "thinking" ? undefined : (a) => void tried(a)} />}
        <p id="said" class={`status ${said}`} role="status">{at && said === "" ? `${words("toMove", ui.side(at.to_move, language))}. ` : ""}{texts[said]}</p>
        {error && <p class="error" role="alert">{error}</p>}
      </div>
      <aside class="panel">
        <h1>{words("learn")} <small class="dim">{card.game}</small></h1>
        <p id="due">{words("due", left)}</p>
        {card.played && <p>{words("playedThen", name(card.played))}</p>}
        {over && <p id="answer">{words("best", name(card.best))}</p>}
        <div class="row fill">
          {over ? <button id="next" class="primary" onClick={next}>{words("next")}</button>
            : <button id="show" onClick={() => { setFailed(true); setSaid("shown"); }}>{words("show")}</button>}
          <button id="drop" onClick={() => { dropCard(card); done(); }}>{words("dropCard")}</button>
        </div>
      </aside>
    </section>
  );
}

// Collection lists the games that are kept, and takes in puzzles.
function Collection({ backend, words, changed, count }: { backend: Backend; words: Words; changed(): void; count: number }) {
  const [notice, setNotice] = useState("");
  const games = useMemo(() => keptGames().reverse(), [count]);
  const save = (g: (typeof games)[number]) => backend.write(g.game, g.position, g.moves).then((text) => download(`${g.game.split(":")[0]}.txt`, text), (e: Error) => setNotice(e.message));
  const take = async (input: HTMLInputElement) => {
    const f = input.files?.[0];
    input.value = "";
    if (!f) return;
    try {
      if (f.size > 1 << 20) throw new Error("more than 1 MB");
      setNotice(words("taken", addCards(readPuzzles(await f.text()))));
      changed();
    } catch (e) {
      setNotice(`${f.name}: ${(e as Error).message}`);
    }
  };
  return (
    <section class="panel" id="kept">
      <h2>{words("myGames")}</h2>
      {!games.length && <p class="dim">{words("noGames")}</p>}
      <ul class="kept">
        {games.map((g) => (
          <li key={g.id}>
            <a href={`#play?${new URLSearchParams({ game: g.game, position: g.position, moves: g.moves.join(",") })}`}>{g.game}, {new Date(g.id).toLocaleString()}</a>
            <span class="dim">{words("result", g.moves.length, g.outcome === "draw" ? words("draw") : g.persons.includes(g.outcome as "first") ? words("won") : words("lost"))}</span>
            <button onClick={() => void save(g)} aria-label={`${words("save")}: ${g.id}`}>{words("save")}</button>
            <button onClick={() => { dropGame(g.id); changed(); }} aria-label={`${words("delete")}: ${g.id}`}>{words("delete")}</button>
          </li>
        ))}
      </ul>
      <div class="row">
        <label class="file">{words("loadPuzzles")}<input id="puzzles" type="file" accept=".jsonl,.txt,application/json" onChange={(e) => void take(e.currentTarget)} /></label>
      </div>
      <p class="small" role="status" id="learn-notice">{notice}</p>
    </section>
  );
}
