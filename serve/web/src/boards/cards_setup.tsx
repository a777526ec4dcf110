// The position editor of Onitama, with or without a wall.
import { useRef, useState } from "preact/hooks";
import type { SetupProps } from "./board";
import { say } from "../words";
import { layoutOf, S } from "./cards_layout";
import { CardPicture, Man, Temple } from "./cards_parts";
import { cardName, deck, menNames, walled, type Card, type Side } from "./cards_text";
import { Mover, Palette, Stepper } from "./setup_tools";
import { arrows, button, useKeys, useLeast, useNarrow } from "./tools";

export function CardsSetup(side: Side) {
	const isWalled = side === walled, movers = isWalled ? ["A", "B"] : ["0", "1"];
	const men = [...Object.keys(side.men), ...(isWalled ? ["W"] : []), "."];
	const names = menNames(side);
	const unique = men.filter((m) => m !== "." && m === m.toUpperCase());

	return function Setup({ text, position, change }: SetupProps) {
		const [mark, setMark] = useState(men[1]);
		const [asked, ask] = useState<number>(); // index of the card to replace
		const narrow = useNarrow(), { size, left, top, scale, card: placeOf } = layoutOf(narrow);
		const svg = useRef<SVGSVGElement>(null);
		useLeast(svg);
		useKeys({ Escape: () => ask(undefined) });
		const usable = text.split(" ").length >= 5 && text.split(" ")[0].split("/").length === 5;
		const fields = (usable ? text : position.position).split(" ");
		const rows = fields[0].split("/").map((r) => r.padEnd(5, ".").slice(0, 5));
		const set = (i: number, value: string) => change(fields.map((f, n) => (n === i ? value : f)).join(" "));
		const put = (x: number, y: number) => {
			const lines = rows.map((r) => [...r]), old = lines[y][x];
			if (unique.includes(mark)) {
				lines.forEach((l) =>
					l.forEach((c, i) => {
						if (c === mark) l[i] = ".";
					})
				);
			}
			lines[y][x] = old === mark ? "." : mark;
			set(0, lines.map((l) => l.join("")).join("/"));
		};
		const ids = isWalled ? [] : fields.slice(2, 5).flatMap((f) => f.split(","));
		const setCard = (i: number, id: string) => {
			const all = [...ids], other = all.indexOf(id);
			if (other >= 0) all[other] = all[i]; // the two cards swap places
			all[i] = id;
			ask(undefined);
			change(
				[fields[0], fields[1], `${all[0]},${all[1]}`, `${all[2]},${all[3]}`, all[4], ...fields.slice(5)].join(" "),
			);
		};
		// Each click on a cell of a card switches to its next content: nothing, a step, the man.
		const flip = (card: number) => (n: number) => {
			const c = [...fields[3 + card]];
			c[n] = c[n] === "x" ? "." : c[n] === "." ? "x" : "o";
			set(3 + card, c.join(""));
		};
		// Show the cards of the last legal position. If the text contains card patterns, show these
		// instead.
		const shown = side.cards(isWalled && fields.length > 7 ? { ...position, position: fields.join(" ") } : position);
		const cards: (Card | undefined)[] = isWalled ? shown : ids.map((id) => shown.find((c) => c.slot === id));
		const held = [0, 0, 0];
		const labelOf = (i: number) =>
			[
				say("Blue's first card"),
				say("Blue's second card"),
				say("Red's first card"),
				say("Red's second card"),
				say("the card in the middle"),
			][i];
		return <>
			<Palette label={say("Piece to place")} chosen={mark} choose={setMark}
				all={men.map((m) => ({ value: m, label: say(names[m]),
					picture: <svg viewBox={`0 0 ${S} ${S}`} class="board cards-board" aria-hidden>
						{m === "." ? <path class="rubber" d="M24 24L60 60M60 24L24 60" /> : <Man side={side} mark={m} />}
					</svg> })
				)} />
			<svg ref={svg} class="board cards-board editor" viewBox={`0 0 ${size[0]} ${size[1]}`} role="group"
				aria-label={say("Board")} onKeyDown={arrows}>
				<rect class="mat" x={left - 12} y={top - 12} width={5 * S + 24} height={5 * S + 24} rx="14" />
				{rows.map((row, y) =>
					[...row].map((c, x) =>
						<g key={`${x},${y}`} class="can" data-cell={side.cell(x, y)} data-at={`${x},${y}`}
							transform={`translate(${left + x * S},${top + y * S})`}
							{...button(`${side.cell(x, y)}: ${say(names[c] ?? c)}`, () => put(x, y))}>
							<rect class="cell" x="1.5" y="1.5" width={S - 3} height={S - 3} rx="9" />
							{x === 2 && y % 4 === 0 && <Temple owner={y ? 0 : 1} />}
							{names[c] && c !== "." && <Man side={side} mark={c} />}
						</g>
					)
				)}
				{cards.map((found, i) => {
					const owner = i < 2 ? 0 : i < 4 ? 1 : -1,
						card: Card = found ??
							{ slot: "", name: deck[Number(ids[i])] ?? "", owner, turned: owner === 1, middle: [2, 2], steps: [] };
					const mine = { ...card, owner: owner as Card["owner"] }, [x, y] = placeOf(mine, held[owner + 1]++);
					return <g key={i} class={`card ${isWalled ? "" : "can"} ${asked === i ? "picked" : ""}`} data-card={i}
						style={{ transform: `translate(${x}px,${y}px) scale(${scale})`, "--scale": scale }}
						{...(isWalled ? {} : button(`${labelOf(i)}: ${cardName(mine)}`, () => ask(asked === i ? undefined : i)))}>
						<CardPicture card={mine} flip={isWalled ? flip(i) : undefined} label={labelOf(i)} />
					</g>;
				})}
			</svg>
			{asked !== undefined &&
				(<div class="palette deck" role="group" aria-label={labelOf(asked)}>
					{deck.map((name, id) =>
						<button key={id} type="button" aria-pressed={ids[asked] === String(id)} onClick={() =>
							setCard(asked, String(id))}>
							{say(name)}
						</button>
					)}
				</div>)}
			<div class="row">
				<Mover names={[say("Blue"), say("Red")]} chosen={Math.max(0, movers.indexOf(fields[1]))}
					choose={(s) => set(1, movers[s])} />
				{isWalled && <>
					<span class="dim small">{say("turns left")}</span>
					<Stepper label={say("turns left")} value={Number(fields[2])} least={1} most={255} set={(n) =>
						set(2, String(n))} />
				</>}
				{isWalled ? <span class="small dim">{say("Click a square of a card to change it: step, man or nothing.")}</span>
					: asked === undefined && <span class="small dim">{say("Click a card to replace it.")}</span>}
			</div>
		</>;
	};
}
