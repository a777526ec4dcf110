// The page on which a game is played, analysed, set up, saved and shared.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Analysis, Backend, Model, Move, Player, Position } from "../backend/backend";
import { boardOf } from "../boards";
import type { Language, Mark } from "../boards/board";
import { useKeys, useNarrow } from "../boards/tools";
import { download, useKept, useLanguage, useLine, whenShown } from "../play/hooks";
import { Curve, Review, RulesPanel, SetupPanel, ValueBar } from "../play/panels";
import { PrincipalVariation, Ranked } from "../play/ranked";
import { Record } from "../play/record";
import { keepGame, keepMistakes } from "../learn/store";
import { chosen, eloOf, levels, nextLevel, toldOf, useSearch, type Finding } from "../play/search";
import { linkOf, useTable } from "../play/table";
import type { Node } from "../play/tree";
import { t } from "../words";

interface Props {
  backend: Backend;
  query: URLSearchParams; // what stands behind ? in the address
}

export default function Play({ backend, query }: Props) {
  const [models, setModels] = useState<Model[]>();
  const [error, setError] = useState("");
  useEffect(() => { backend.models().then(setModels, (e: Error) => setError(e.message)); }, []);
  if (error) return <p class="error" role="alert">{error}</p>;
  if (!models) return <p class="loading" role="status">Loading …</p>;
  if (!models.length) return <p class="loading">There is no model here to play with.</p>;
  return <Room backend={backend} query={query} models={models} />;
}

type Seats = { [P in Player]: "person" | "bot" };

function Room({ backend, query, models }: Props & { models: Model[] }) {
  const asked = query.get("model") ?? (query.has("run") ? `${query.get("run")}/best` : "");
  const games = useMemo(() => [...new Set([...models.filter((m) => m.id === asked), ...models.filter((m) => m.run), ...models].map((m) => m.game))], [models]);
  const table = useTable(backend, query, games);
  const { game, now } = table;
  const ui = boardOf(now?.game ?? games[0]);
  const [mode, setMode] = useKept<"play" | "analyse">("sessionStorage", "dojo-mode", query.get("position") ? "analyse" : "play"); // a link opens for analysis
  const [seats, setSeats] = useKept<Seats>("localStorage", "dojo-seats", { first: "person", second: "bot" });
  const [ofTen, setLevel] = useKept("localStorage", "dojo-level-of-ten", 4), level = Math.min(Math.max(0, ofTen), levels.length - 1);
  const [adapt, setAdapt] = useKept("localStorage", "dojo-adapt", false);
  const [row, setRow] = useKept("localStorage", "dojo-row", 0); // games won in a row; negative: lost
  const [announce, setAnnounce] = useKept("localStorage", "dojo-announce", false);
  const [modelOf, setModelOf] = useKept<{ [game: string]: string }>("localStorage", "dojo-models", {});
  useEffect(() => { // before the first position comes
    const game = models.find((m) => m.id === asked)?.game ?? query.get("game");
    if (game && asked) setModelOf({ ...modelOf, [game]: asked });
  }, [query]);
  const [language, setLanguage] = useLanguage(ui);
  const [thinking, setThinking] = useState(true); // in mode analyse
  const [hinted, setHinted] = useState<Position>();
  const [review, setReview] = useState<number>();
  const [found, setFound] = useState(new Map<string, Finding>());
  const [looked, look] = useState<{ at?: Position; move: Move }>();
  const line = looked?.at === now ? looked?.move : undefined;
  const [notice, setNotice] = useState("");
  const words = t(language);
  const bots = models.filter((m) => m.game === now?.game), kept = now && modelOf[now.game];
  const model = kept && (kept === query.get("model") || bots.some((m) => m.id === kept)) ? kept : bots[0]?.id; // by now the server may have other models

  const ongoing = now?.outcome === "ongoing";
  const botMoves = !!now && mode === "play" && ongoing && table.atEnd && seats[now.to_move] === "bot" && review === undefined;
  const personMoves = !!now && ongoing && !botMoves && review === undefined;
  const since = useRef(0); // when the position came onto the board
  useLayoutEffect(() => { since.current = performance.now(); setNotice(""); }, [now]);

  // A game that a person has played to its end is kept, and so are the mistakes that a review of it finds.
  const persons = (["first", "second"] as const).filter((p) => seats[p] === "person");
  useLayoutEffect(() => { // before anybody can leave the page
    if (!game || !now || ongoing || mode !== "play" || !table.atEnd || game.at === 0) return;
    if (!keepGame(game, persons) || !adapt || persons.length !== 1 || now.outcome === "draw") return;
    const next = nextLevel(level, row, now.outcome === persons[0]);
    setRow(next.row);
    setLevel(next.level);
    if (next.level !== level) setNotice(words("levelNow", next.level + 1));
  }, [now]);
  const reviewedAll = () => {
    setReview(undefined);
    const n = game ? keepMistakes(game.positions, found, persons) : 0;
    if (n > 0) setNotice(words("learnt", n));
  };

  const keep = useCallback((p: Position, a: Analysis) => setFound((old) => {
    if ((old.get(p.position)?.visits ?? 0) > a.visits || !a.moves.length) return old;
    return new Map(old).set(p.position, { value: a.value, visits: a.visits, best: a.moves[0] });
  }), []);

  // One search at a time: the review's, the bot's, the analysis' or a hint's.
  const reviewed = review !== undefined && game ? game.positions[review] : undefined;
  const wanted = reviewed ? Math.max(200, levels[level].simulations) : botMoves ? levels[level].simulations
    : mode === "analyse" && thinking ? "analysis" : personMoves && (hinted === now || announce && mode === "play" && table.atEnd) ? Math.max(200, levels[level].simulations) : "none";
  const finished = (a: Analysis) => {
    if (review !== undefined) setReview(review + 1);
    else if (botMoves) {
      // What the bot answers to is first seen to the end.
      const at = now, action = chosen(a, at!, level);
      whenShown(at!, since.current, () => { if (latest.current.now === at && latest.current.botMoves) void table.act(action, true); });
    }
  };
  const latest = useRef({ now, botMoves });
  latest.current = { now, botMoves };
  const vectors: Record<string, string> = { relaxed: "SIMD relaxed", simd: "SIMD", portable: "plain" };
  const kernels = vectors[models.find((m) => m.id === model)?.kernels ?? ""] ?? "";
  const search = useSearch(backend, model, reviewed ?? now, wanted, keep, finished, (e) => { setReview(undefined); table.report(e); });
  useEffect(() => {
    if (review === undefined || !game) return;
    if (review >= game.positions.length) reviewedAll();
    else if (reviewed?.outcome !== "ongoing") setReview(review + 1); // it needs no search
  }, [review]);
  const analysis = reviewed ? undefined : search.analysis;
  const showMarks = (mode === "analyse" && !botMoves) || hinted === now;
  const marks = showMarks && analysis && !line ? marksOf(analysis) : undefined;
  const preview = useLine(backend, now, line);

  const act = (action: string) => { setHinted(undefined); void table.act(action); };
  const fresh = (name: string, dealt = false) => { setHinted(undefined); setReview(undefined); void table.fresh(name, dealt); };
  // Undo goes to where a person was to move, redo forward to the next such place.
  const toPerson = (step: 1 | -1) => {
    if (!game) return;
    if (step < 0 && game.at === 0) { table.restore(); return; }
    let at = game.at + step;
    const stops = (p: Position) => mode === "analyse" || seats[p.to_move] === "person" || p.outcome !== "ongoing";
    while (at > 0 && at < game.positions.length - 1 && !stops(game.positions[at])) at += step;
    table.go(Math.max(0, Math.min(game.positions.length - 1, at)));
  };
  useKeys({
    ArrowLeft: () => game && table.go(game.at - 1), ArrowRight: () => game && table.go(game.at + 1),
    v: () => game && table.goTo(beside(game.line[game.at])), u: () => toPerson(-1), h: () => now && personMoves && setHinted(now), n: () => now && fresh(now.game),
  }, false);
  useNarrow(); // a board may name its sides by where they lie
  useLayoutEffect(() => { // for those who watch the page from outside
    document.body.dataset.moves = String(game?.at ?? 0);
    document.body.dataset.state = !now || table.busy() ? "busy" : !ongoing ? "over" : botMoves ? "bot" : review !== undefined ? "busy" : "person";
    document.title = `dojo: ${now ? ui.title(language) : "…"}`;
  });

  if (!game || !now) return <p class={table.error ? "error" : "loading"} role="status">{table.error || "Loading …"}</p>;
  const side = (p: Player) => ui.side(p, language);
  const told = announce && mode === "play" ? toldOf(game.positions.slice(0, game.at + 1), (p) => seats[p] === "person", found, words) : "";
  const levelName = (i: number) => {
    const elo = eloOf(now.game, models.find((m) => m.id === model), i);
    return `${i + 1}${elo === undefined ? "" : ` · Elo ${elo}`}${i === 0 ? ` · ${words("weakest")}` : i === levels.length - 1 ? ` · ${words("strongest")}` : ""}`;
  };
  const score = now.score ? `, ${words("score", ...now.score)}` : "";
  const status = !ongoing ? (now.outcome === "draw" ? words("draw") : words("wins", side(now.outcome as Player))) + score
    : botMoves ? words("thinking", side(now.to_move)) : mode === "play" && !table.atEnd && seats[now.to_move] === "bot" ? words("paused")
    : mode === "play" ? words("yourMove", side(now.to_move)) : words("toMove", side(now.to_move));
  const shown = preview?.positions[preview.at] ?? now;
  const before = game.positions[game.at - 1];
  const value = !ongoing ? { first: 1, second: -1, draw: 0 }[now.outcome as "first"] : analysis?.value ?? found.get(now.position)?.value;
  // Chances are told from the side of the person who plays alone, else from the first's.
  const reader: Player = mode === "play" && seats.second === "person" && seats.first === "bot" ? "second" : "first";
  const share = async () => {
    const link = location.href.split("#")[0] + linkOf(game);
    try {
      await navigator.clipboard.writeText(link);
      setNotice(words("copied"));
    } catch {
      setNotice(words("linkHere"));
    }
  };
  const save = async () => {
    try {
      const text = await backend.write(now.game, game.positions[0].position, game.positions.slice(1).map((p) => p.move!));
      download(`${now.game.split(":")[0]}.txt`, text);
    } catch (e) {
      table.report(e);
    }
  };

  return (
    <div class="room" lang={language}>
      <section class="stage" aria-label={ui.title(language)}>
        <ui.Board position={shown} language={language} viewer={mode === "play" && persons.length === 1 ? persons[0] : undefined}
          previous={preview ? preview.positions[preview.at - 1] ?? now : game.went === "on" ? game.positions[game.at - 1] : undefined}
          history={preview ? [...game.positions.slice(0, game.at + 1), ...preview.positions.slice(1, preview.at + 1)] : game.positions.slice(0, game.at + 1)}
          marks={preview ? undefined : marks} onAct={personMoves && !preview ? act : undefined} />
        <p id="status" class="status" role="status">{preview ? words("line", preview.moves.join("  ")) : status}{!preview && before && <span class="hidden">. {side(before.to_move)}: {ui.words(before, now.move!, language)}</span>}</p>
        {table.error && <p id="error" class="error" role="alert">{table.error}</p>}
      </section>

      <aside>
        <div class="panel controls">
          <div class="row spread">
            <h1>{ui.title(language)} <small class="dim">{now.game}</small></h1>
            {ui.languages && <select aria-label="Language" value={language} onChange={(e) => setLanguage(e.currentTarget.value as Language)}>
              <option value="en">English</option><option value="vi">Tiếng Việt</option></select>}
          </div>
          {games.length > 1 && <label>{words("game")} <select value={now.game} onChange={(e) => fresh(e.currentTarget.value)}>{games.map((g) => <option key={g} value={g}>{g}</option>)}</select></label>}
          {bots.length > 1 && (
            <label>{words("model")} <select id="bot" value={model} onChange={(e) => setModelOf({ ...modelOf, [now.game]: e.currentTarget.value })}>
              {[...new Set(bots.map((m) => m.run))].map((run) => {
                const options = bots.filter((m) => m.run === run).map((m) => <option key={m.id} value={m.id} title={m.about}>{m.name}</option>);
                return run ? <optgroup key={run} label={run}>{options}</optgroup> : options;
              })}</select></label>
          )}
          <div class="switch" role="radiogroup" aria-label={`${words("play")}, ${words("analyse")}`}>
            {(["play", "analyse"] as const).map((m) => <label key={m} class={mode === m ? "on" : ""}><input type="radio" name="mode" id={`mode-${m}`} checked={mode === m} onChange={() => setMode(m)} />{words(m)}</label>)}
          </div>
          {mode === "play" && (
            <>
              <div class="grid2">
                {(["first", "second"] as const).map((p) => (
                  <label key={p}><span><i class={`dot ${p}`} aria-hidden="true" /> {side(p)}</span>
                    <select id={p} value={seats[p]} onChange={(e) => setSeats({ ...seats, [p]: e.currentTarget.value as "person" })}>
                      <option value="person">{words("person")}</option><option value="bot">{words("bot")}</option>
                    </select></label>
                ))}
              </div>
              <label class="line">{words("level")} <select id="level" value={level} onChange={(e) => { setLevel(Number(e.currentTarget.value)); setRow(0); }} title={words("rated", levels[level].simulations)}>
                {levels.map((_, i) => <option key={i} value={i}>{levelName(i)}</option>)}</select></label>
              <label class="line"><input type="checkbox" id="adapt" checked={adapt} onChange={(e) => setAdapt(e.currentTarget.checked)} /> {words("adapt")}</label>
              <label class="line"><input type="checkbox" id="announce" checked={announce} onChange={(e) => setAnnounce(e.currentTarget.checked)} /> {words("announce")}</label>
            </>
          )}
          <div class="row fill">
            <button id="new" onClick={() => fresh(now.game)}>{words("newGame")}</button>
            {models.some((m) => m.game === now.game && m.usual) && <button id="dealt" onClick={() => fresh(now.game, true)}>{words("dealt")}</button>}
            <button id="undo" disabled={game.at === 0 && !game.before} onClick={() => toPerson(-1)}>{words("undo")}</button>
            <button id="redo" disabled={table.atEnd} onClick={() => toPerson(1)}>{words("redo")}</button>
            {mode === "play" ? <button id="hint" disabled={!personMoves} aria-pressed={hinted === now} onClick={() => setHinted(hinted === now ? undefined : now)}>{words("hint")}</button>
              : <button id="think" aria-pressed={thinking} onClick={() => setThinking(!thinking)}>{thinking ? words("stop") : words("start")}</button>}
          </div>
        </div>

        {(value !== undefined || search.speed > 0 || mode === "analyse") && <div class="panel thoughts">
          <ValueBar value={value} reader={reader} ui={ui} language={language} words={words} />
          <p class="dim small" id="counts">
            {analysis && <span id="visits" data-running={search.running}>{words("simulations", analysis.visits.toLocaleString(language))}</span>}
            {search.speed > 0 && <span id="speed">{words(backend.site.backend === "worker" ? "speed" : "speedServer", Math.round(search.speed).toLocaleString(language), kernels)}</span>}
          </p>
          {showMarks && <PrincipalVariation analysis={analysis} words={words} />}
          {showMarks && analysis && <Ranked analysis={analysis} before={now} reader={reader} ui={ui} language={language} words={words} choose={personMoves ? act : undefined} look={(move) => look(move && { at: now, move })} />}
          {showMarks && !ongoing && <p class="dim small">{words("noSearch")}</p>}
        </div>}

        <div class="panel">
          <div class="row spread">
            <h2>{words("moves")}</h2>
            <div class="steps">
              {([["first", "M4 3v10M13 3 6 8l7 5Z", 0], ["back", "M12 3 4 8l8 5Z", game.at - 1], ["forward", "M4 3l8 5-8 5Z", game.at + 1], ["last", "M12 3v10M3 3l7 5-7 5Z", game.positions.length - 1]] as const).map(([name, path, to]) => (
                <button key={name} id={`go-${name}`} aria-label={words(name)} disabled={to < 0 || to >= game.positions.length || to === game.at} onClick={() => table.go(to)}><svg viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg></button>
              ))}
            </div>
          </div>
          <Curve game={game} found={found} go={table.go} words={words} ui={ui} language={language} />
          <Record game={game} found={found} ui={ui} language={language} words={words} table={table} />
          <div class="row fill">
            {review === undefined
              ? <button id="review" disabled={game.positions.length < 2} onClick={() => { setHinted(undefined); setReview(0); }}>{words("review")}</button>
              : <button id="review" onClick={() => setReview(undefined)}>{words("stop")}</button>}
            <button id="save" onClick={() => void save()}>{words("save")}</button>
            <button id="share" onClick={() => void share()}>{words("share")}</button>
          </div>
          <p class="dim small" role="status" id="notice">
            {review !== undefined ? words("reviewing", Math.min(review + 1, game.positions.length), game.positions.length) : notice || told}
          </p>
          {review === undefined && <Review game={game} found={found} go={table.go} words={words} ui={ui} language={language} />}
        </div>

        <Folded id="setup" title={words("setup")}><SetupPanel key={now.game} table={table} backend={backend} ui={ui} language={language} words={words} /></Folded>
        <Folded id="rules" title={words("rules")}><RulesPanel backend={backend} game={now.game} ui={ui} language={language} /></Folded>
        <Folded id="keys" title={words("keys")}><p>{words("keysText")}</p></Folded>
      </aside>
    </div>
  );
}

// Folded is a panel whose content is there only while it is open.
function Folded({ id, title, children }: { id: string; title: string; children: preact.ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="panel" id={id} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children}
    </details>
  );
}

// beside is the next of the moves that were played in place of one.
function beside(node: Node): Node {
  const all = node.parent?.children ?? [node];
  return all[(all.indexOf(node) + 1) % all.length];
}

function marksOf(a: Analysis): Mark[] {
  const sum = Math.max(1, a.moves.reduce((n, m) => n + m.visits, 0));
  return a.moves.slice(0, 6).filter((m) => m.visits > 0).map((m, i) => ({ action: m.move, weight: m.visits / sum, best: i === 0 }));
}
