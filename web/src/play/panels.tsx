// The panels beside the board.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import type { GameUI, Language } from "../boards/board";
import { Markdown } from "../markdown";
import type { Words } from "../words";
import { grades, outcomeValue, type Finding } from "./search";
import type { Game, Table } from "./table";

export const signed = (v: number) => (v <= -0.005 ? "−" : "+") + Math.abs(v).toFixed(2);

/** The value as a bar: how much of it is first's. */
export function ValueBar({ value, ui, language, words }: { value?: number; ui: GameUI; language: Language; words: Words }) {
  const text = value === undefined ? "" : signed(value);
  return (
    <div class="value-bar" role="meter" aria-label={`${words("value")}: ${ui.side("first", language)}`} aria-valuemin={-1} aria-valuemax={1} aria-valuenow={value ?? 0} aria-valuetext={text}>
      <div class="of-first" style={{ width: `${50 + 50 * (value ?? 0)}%` }} />
      <span class="first-end">{ui.side("first", language)}</span><b>{text}</b><span>{ui.side("second", language)}</span>
    </div>
  );
}

/** The value after each move, first's up. A click goes there. */
export function Curve({ game, found, go, words, ui, language }: { game: Game; found: Map<string, Finding>; go(at: number): void; words: Words; ui: GameUI; language: Language }) {
  const n = game.positions.length, W = 300, H = 72;
  const x = (i: number) => (n > 1 ? (W * i) / (n - 1) : W / 2), y = (v: number) => H / 2 - v * (H / 2 - 4);
  const values = game.positions.map((p) => outcomeValue(p) ?? found.get(p.position)?.value);
  const known = values.flatMap((v, i) => (v === undefined ? [] : [{ i, v }]));
  if (known.length < 2) return null;
  const click = (e: MouseEvent) => {
    const box = (e.currentTarget as Element).getBoundingClientRect();
    go(Math.round(((e.clientX - box.left) / box.width) * (n - 1)));
  };
  const line = known.map(({ i, v }, k) => `${k ? "L" : "M"}${x(i)} ${y(v)}`).join("");
  const marks = grades(game.positions, found);
  return (
    <svg class="curve" viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img" aria-label={words("values", ui.side("first", language), ui.side("second", language))} onClick={click}>
      <path class="area" d={`${line}L${x(known[known.length - 1].i)} ${H / 2}L${x(known[0].i)} ${H / 2}Z`} />
      <path class="axis" d={`M0 ${H / 2}H${W}`} />
      <path class="line" d={line} />
      {known.filter(({ i }) => marks[i] === "mistake" || marks[i] === "blunder").map(({ i, v }) => <path key={i} class={`spot ${marks[i]}`} d={`M${x(i)} ${y(v)}h0`} />)}
      <path class="here" d={`M${x(game.at)} 0V${H}`} />
    </svg>
  );
}

/** Positions and games in and out: by text, by clicking, by file. */
export function SetupPanel({ table, backend, ui, language, words }: { table: Table; backend: Backend; ui: GameUI; language: Language; words: Words }) {
  const now = table.now!;
  const [text, setText] = useState(now.position);
  const [good, setGood] = useState<Position>(now);
  const [wrong, setWrong] = useState("");
  const latest = useRef(text); // answers about older texts come too late
  latest.current = text;
  useEffect(() => { setText(now.position); setGood(now); setWrong(""); }, [now]);
  const change = async (next: string) => {
    setText((latest.current = next));
    try {
      const [first] = await backend.read(now.game, next);
      if (latest.current !== next) return;
      setGood(first);
      setWrong("");
    } catch (e) {
      if (latest.current === next) setWrong((e as Error).message);
    }
  };
  const use = async () => {
    try {
      await table.load(now.game, text);
      setWrong("");
    } catch (e) {
      setWrong((e as Error).message);
    }
  };
  const file = async (input: HTMLInputElement) => {
    const f = input.files?.[0];
    if (!f) return;
    if (f.size > 1 << 20) { setWrong(`${f.name}: more than 1 MB`); return; }
    const content = await f.text();
    input.value = "";
    setText(content.trim());
    try {
      await table.load(now.game, content);
    } catch (e) {
      setWrong(`${f.name}: ${(e as Error).message}`);
    }
  };
  return (
    <div class="setup-panel">
      <label class="whole">{words("text")}
        <textarea id="text" rows={3} spellcheck={false} value={text} onInput={(e) => void change(e.currentTarget.value)} />
      </label>
      {wrong && <p class="error small" role="alert">{words("illegal", wrong)}</p>}
      <div class="row">
        <button id="use" class="primary" disabled={!!wrong} onClick={() => void use()}>{words("use")}</button>
        <label class="file">{words("load")}<input type="file" accept=".txt,text/plain" onChange={(e) => void file(e.currentTarget)} /></label>
      </div>
      {ui.Setup && <ui.Setup position={good} text={text.trim()} change={(s) => void change(s)} language={language} />}
    </div>
  );
}

export function RulesPanel({ backend, game, ui, language }: { backend: Backend; game: string; ui: GameUI; language: Language }) {
  const [text, setText] = useState("");
  useEffect(() => {
    const own = ui.rules?.[language];
    if (own) { setText(own); return; }
    setText("");
    backend.rules(game).then((all) => setText(forPlayers(all)), (e: Error) => setText(e.message));
  }, [game, language]);
  return <Markdown text={text} />;
}

// forPlayers leaves out the sections that are for those who program.
function forPlayers(text: string): string {
  return text.split(/\n(?=## )/).filter((s) => !/^## [^\n]*(network sees|referee|protocol|Text|deal|Options|CodinGame|Time|certain|one line|lopsided|Questions)/i.test(s)).join("\n");
}
