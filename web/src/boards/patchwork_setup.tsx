// Sets up a position of Patchwork: quilts by clicking, the rest by numbers.
import type { SetupProps } from "./board";
import { phrase, say } from "../words";
import { seatsOf } from "./patches";

export function PatchworkSetup({ text, position, change }: SetupProps) {
  const usable = /^\S+ \d+:\d+:\d+:\S+ \d+:\d+:\d+:\S+ [12] /.test(text);
  const parts = (usable ? text : position.position).split(" ");
  const seats = seatsOf(parts.join(" "));
  const set = (i: number, value: string) => change(parts.map((p, n) => (n === i ? value : p)).join(" "));
  const setSeat = (s: number, field: number, value: string) => set(1 + s, parts[1 + s].split(":").map((v, n) => (n === field ? value : v)).join(":"));
  const flip = (s: number, x: number, y: number) => setSeat(s, 3, seats[s].rows.map((row, j) => parseInt(row.map((full, i) => (full !== (i === x && j === y) ? "1" : "0")).join(""), 2).toString(16)).join("/"));
  return (
    <div class="setup">
      <label class="whole">{say("the circle, from the patch after the token")} <input type="text" spellcheck={false} value={parts[0]} onInput={(e) => set(0, e.currentTarget.value.trim() || "-")} /></label>
      {[0, 1].map((s) => (
        <fieldset key={s}><legend>{s ? say("Red") : say("Blue")}</legend>
          <div class="row">
            {[phrase("time"), phrase("buttons"), phrase("income")].map((name, field) => (
              <label key={name}>{say(name)} <input type="number" min="0" max="999" value={parts[1 + s].split(":")[field]} onInput={(e) => setSeat(s, field, e.currentTarget.value || "0")} /></label>
            ))}
          </div>
          <div class="setup-grid nine" role="group" aria-label={say("{0}'s quilt", s ? say("Red") : say("Blue"))}>
            {seats[s].rows.map((row, y) => row.map((full, x) => (
              <button key={`${x},${y}`} class={`square ${full ? (s ? "second" : "first") : ""}`} aria-label={`${"ABCDEFGHI"[x]}${y + 1}: ${full ? say("covered") : say("empty")}`} onClick={() => flip(s, x, y)} />
            )))}
          </div>
        </fieldset>
      ))}
      <label>{say("to move")} <select value={parts[3]} onChange={(e) => set(3, e.currentTarget.value)}><option value="1">{say("Blue")}</option><option value="2">{say("Red")}</option></select></label>
      <label><input type="checkbox" checked={parts[4] === "1"} onChange={(e) => set(4, e.currentTarget.checked ? "1" : "0")} /> {say("has a special patch to place")}</label>
    </div>
  );
}
