// Sets up a position of Onitama, with or without a wall, by clicking.
import { useState } from "preact/hooks";
import type { SetupProps } from "./board";
import { phrase, say } from "../words";
import { deck, menNames, walled, type Side } from "./cards_text";

export function CardsSetup(side: Side) {
  const isWalled = side === walled;
  const palette = [...Object.keys(side.men), ...(isWalled ? ["W"] : []), "."];
  const names = menNames(side);
  const unique = palette.filter((m) => m !== "." && (m === m.toUpperCase()));

  return function Setup({ text, position, change }: SetupProps) {
    const [mark, setMark] = useState(palette[1]);
    const usable = text.split(" ").length >= 5 && text.split(" ")[0].split("/").length === 5;
    const fields = (usable ? text : position.position).split(" ");
    const rows = fields[0].split("/");
    const put = (x: number, y: number) => {
      const lines = rows.map((r) => [...r.padEnd(5, ".").slice(0, 5)]);
      if (unique.includes(mark)) lines.forEach((l) => l.forEach((c, i) => { if (c === mark) l[i] = "."; }));
      lines[y][x] = lines[y][x] === mark ? "." : mark;
      set(0, lines.map((l) => l.join("")).join("/"));
    };
    const set = (i: number, value: string) => change(fields.map((f, n) => (n === i ? value : f)).join(" "));
    const ids = isWalled ? [] : fields.slice(2, 5).flatMap((f) => f.split(","));
    const setCard = (i: number, id: string) => {
      const all = [...ids];
      const other = all.indexOf(id);
      if (other >= 0) all[other] = all[i]; // two cards change places
      all[i] = id;
      change([fields[0], fields[1], `${all[0]},${all[1]}`, `${all[2]},${all[3]}`, all[4], ...fields.slice(5)].join(" "));
    };
    const flip = (card: number, n: number) => { // nothing, a step, the man
      const c = [...fields[3 + card]];
      c[n] = c[n] === "x" ? "." : c[n] === "." ? "x" : "o";
      set(3 + card, c.join(""));
    };
    return (
      <div class="setup">
        <div class="row" role="radiogroup" aria-label={say("What to put")}>
          {palette.map((m) => <label key={m} class="chip"><input type="radio" name="man" checked={mark === m} onChange={() => setMark(m)} /> {say(names[m])}</label>)}
        </div>
        <div class="setup-grid" role="group" aria-label={say("Board")}>
          {rows.map((row, y) => [...row].map((c, x) => (
            <button key={`${x},${y}`} class={`square ${side.men[c] ? (side.men[c][0] ? "second" : "first") : c === "W" ? "stone" : ""}`} onClick={() => put(x, y)}
              aria-label={`${side.cell(x, y)}: ${say(names[c] ?? c)}`}>{c === "." ? "" : side.men[c]?.[1] ? "★" : c === "W" ? "▬" : "●"}</button>
          )))}
        </div>
        <label>{say("to move")} <select value={fields[1]} onChange={(e) => set(1, e.currentTarget.value)}>
          <option value={isWalled ? "A" : "0"}>{say("Blue")}</option><option value={isWalled ? "B" : "1"}>{say("Red")}</option></select></label>
        {!isWalled && [phrase("Blue's first card"), phrase("Blue's second card"), phrase("Red's first card"), phrase("Red's second card"), phrase("the card in the middle")].map((label, i) => (
          <label key={label}>{say(label)} <select value={ids[i]} onChange={(e) => setCard(i, e.currentTarget.value)}>
            {deck.map((name, id) => <option key={id} value={String(id)}>{say(name)}</option>)}</select></label>
        ))}
        {isWalled && (
          <>
            <p class="small dim">{say("Cards are drawn as their holder sees them.")}</p>
            <label>{say("turns left")} <input type="number" min="1" max="255" value={fields[2]} onInput={(e) => set(2, e.currentTarget.value)} /></label>
            <div class="setup-cards">
            {[phrase("Blue's first card"), phrase("Blue's second card"), phrase("Red's first card"), phrase("Red's second card"), phrase("the card in the middle")].map((label, card) => (
              <fieldset key={label} class="setup-card"><legend>{say(label)}</legend>
                <div class="setup-grid small">
                  {[...fields[3 + card]].map((c, n) => (
                    <button key={n} class={`square ${c === "x" ? ["first", "first", "second", "second", "side"][card] : c === "o" ? "stone" : ""}`} onClick={() => flip(card, n)}
                      aria-label={say("row {0}, column {1}: {2}", Math.floor(n / 5) + 1, (n % 5) + 1, c === "x" ? say("a step") : c === "o" ? say("the man") : say("nothing"))} />
                  ))}
                </div>
              </fieldset>
            ))}
            </div>
          </>
        )}
      </div>
    );
  };
}
