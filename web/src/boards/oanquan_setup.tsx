// Sets up a position of Ô ăn quan.
import { say } from "../words";
import type { SetupProps } from "./board";
import { nameOf, sidesOf } from "./oanquan_words";
import { useNarrow } from "./tools";

// OanquanSetup changes counts by buttons. The texts of positions add up to all stones of the game, so what is
// taken from one place has to go to another; the page says by how much the sum is off.
export function OanquanSetup({ text, position, change }: SetupProps) {
  const sides = sidesOf(useNarrow());
  const usable = /^\d+(,\d+){11} -?\d+,-?\d+ [12]/.test(text);
  const parts = (usable ? text : position.position).split(" ");
  const fields = parts[0].split(",").map(Number), won = parts[1].split(",").map(Number), big = parts[3] ?? "11";
  const write = (f: number[], p: number[], mover: string, kings: string) => change([f.join(","), p.join(","), mover, kings, ...parts.slice(4)].join(" "));
  const count = (label: string, value: number, set: (n: number) => void, least: number) => (
    <label key={label}>{label} <input type="number" min={least} max="255" value={value} onInput={(e) => set(Math.round(Number(e.currentTarget.value) || 0))} /></label>
  );
  return (
    <div class="setup counts">
      {fields.map((n, f) => count(nameOf(f), n, (v) => write(fields.map((o, i) => (i === f ? v : o)), won, parts[2], big), 0))}
      {won.map((n, s) => count(say("{0}: won", sides[s]), n, (v) => write(fields, won.map((o, i) => (i === s ? v : o)), parts[2], big), -255))}
      {[0, 1].map((k) => (
        <label key={k}><input type="checkbox" checked={big[k] === "1"} onChange={(e) => write(fields, won, parts[2], [...big].map((c, i) => (i === k ? (e.currentTarget.checked ? "1" : "0") : c)).join(""))} /> {nameOf(6 * k)} {say("with the big stone")}</label>
      ))}
      <label>▶ <select value={parts[2]} aria-label={say("to move")} onChange={(e) => write(fields, won, e.currentTarget.value, big)}>
        {sides.map((name, s) => <option key={s} value={s + 1}>{name}</option>)}</select></label>
    </div>
  );
}


