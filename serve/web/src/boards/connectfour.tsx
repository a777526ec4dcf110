// Connect Four: seven columns, into which discs fall. The user chooses a column.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Player, Position } from "../wire";
import { say } from "../words";
import type { BoardProps, GameUI, SetupProps } from "./board";
import { fourIn, rowsOf, textOf, topOf } from "./connectfour_cells";
import { drawn, Figures, written } from "./figures";
import { Palette } from "./setup_tools";
import { arrows, button, useBefore, useKeys, useLeast } from "./tools";

const S = 100, width = 7, height = 6; // S is the side length of a cell
const above = 96, edge = 26, foot = 46; // space above the board for the next disc; width of the frame; its foot
const letters = "abcdefg";

const side = (player: Player) => (player === "first" ? say("Blue") : say("Red"));
const ownerOf = (disc: string): Player => (disc === "x" ? "first" : "second");

function Disc({ owner }: { owner: Player }) {
	return <g class={`disc ${owner}`}>
		<circle r="44" />
		<circle class="rim" r="30" />
	</g>;
}

// The front of the board: a plate with a round hole for each cell. Discs are drawn behind it.
const plate = `M${-edge} 18a18 18 0 0 1 18 -18H${width * S + edge - 18}a18 18 0 0 1 18 18V${height * S + foot - 18}` +
	`a18 18 0 0 1 -18 18H${18 - edge}a18 18 0 0 1 -18 -18Z` +
	Array.from({ length: width * height }, (_, i) =>
		`M${(i % width) * S + 9} ${Math.floor(i / width) * S + 50}a41 41 0 1 0 82 0a41 41 0 1 0 -82 0Z`).join("");

interface TableProps {
	rows: string[]; // from the top; see rowsOf
	label(x: number): string; // describes a column
	choose(x: number): (() => void) | undefined; // what a click on a column does
	next?: Player; // the disc that appears above the column under the pointer
	falling?: number; // column of the disc that falls
	last?: number; // column of the last disc
	children?: ComponentChildren; // drawn over the board
}

// Table draws the discs and makes each column a button.
function Table({ rows, label, choose, next, falling, last, children }: TableProps) {
	const svg = useRef<SVGSVGElement>(null);
	const [over, setOver] = useState<number>();
	useLeast(svg);
	const four = fourIn(rows);
	return <svg ref={svg} class="board connectfour-board"
		viewBox={`${-edge - 2} ${-above} ${width * S + 2 * edge + 4} ${height * S + above + foot + 4}`} role="group"
		aria-label={say("Board")} onKeyDown={arrows}>
		<rect class="back" x="0" y="0" width={width * S} height={height * S} />
		<g class="discs" aria-hidden>
			{rows.flatMap((row, y) =>
				[...row].map((disc, x) => {
					const falls = x === falling && y === topOf(rows, x);
					return disc !== "." && (<g key={`${x},${y}`} transform={`translate(${x * S + 50},${y * S + 50})`}>
						<g class={falls ? "falls" : ""}
							style={falls ? `--from: ${-(y + 1) * S}px; --time: ${(0.22 * Math.sqrt(y + 1)).toFixed(2)}s` : ""}>
							<Disc owner={ownerOf(disc)} />
							{x === last && y === topOf(rows, x) && <circle class="last" r="12" />}
						</g>
					</g>);
				})
			)}
		</g>
		<path class="plate" d={plate} fill-rule="evenodd" aria-hidden />
		<g class="names" aria-hidden>
			{[...letters].map((c, x) => <text key={c} x={x * S + 50} y={height * S + 34} text-anchor="middle">{c}</text>)}
		</g>
		{four && <path class="four" aria-hidden d={`M${four.map(([x, y]) => `${x * S + 50} ${y * S + 50}`).join("L")}`} />}
		{children}
		{[...letters].map((c, x) => {
			const act = choose(x);
			return <g key={c} data-column={c} data-at={`${x},0`} class={`column ${act ? "can" : ""}`}
				onPointerEnter={(e) => e.pointerType === "mouse" && setOver(x)} onPointerLeave={() => setOver(undefined)}
				{...button(label(x), act)}>
				<rect x={x * S + 2} y={4 - above} width={S - 4} height={height * S + above - 8} rx="14" />
				{next && act &&
					<g class={`next ${over === x ? "over" : ""}`} transform={`translate(${x * S + 50},${-above / 2})`}>
						<Disc owner={next} />
					</g>}
			</g>;
		})}
	</svg>;
}

// described returns the discs of a column in words, from the bottom up.
function described(rows: string[], x: number): string {
	const discs = rows.map((row) => row[x]).filter((disc) => disc !== ".").reverse();
	return `${letters[x]}: ${discs.map((disc) => side(ownerOf(disc))).join(", ") || say("empty")}`;
}

function Board({ position, previous, marks = [], onAct }: BoardProps) {
	const before = useBefore(position, previous);
	const rows = rowsOf(position.position)!;
	const last = position.move ? letters.indexOf(position.move) : undefined;
	// The disc falls only once, but the board may be drawn again while it falls.
	const fall = useRef<{ position?: string; column?: number }>({});
	if (fall.current.position !== position.position) {
		fall.current = { position: position.position, column: before && last };
	}
	const choose = (x: number) => onAct && position.legal.includes(letters[x]) ? () => onAct(letters[x]) : undefined;
	useKeys(Object.fromEntries([...letters].map((_, x) => [`${x + 1}`, () => choose(x)?.()])));
	const landing = (action: string): [number, number] => {
		const x = letters.indexOf(action);
		return [x * S + 50, (topOf(rows, x) - 1) * S + 50];
	};
	return <Table rows={rows} choose={choose} falling={fall.current.column} last={last}
		next={position.outcome === "ongoing" ? position.to_move : undefined}
		label={(x) => described(rows, x) + (choose(x) ? `, ${say("drop a disc here")}` : "")}>
		<g class="arrows" aria-hidden>
			{drawn(marks).map((m) => {
				const [x, y] = landing(m.action);
				return <circle key={m.action} class={m.best ? "best" : ""} cx={x} cy={y} r={12 + 24 * m.weight}
					opacity={0.4 + 0.5 * m.weight} />;
			})}
			{written(marks, (m) => m.action).map((m) => {
				const [x, y] = landing(m.action);
				return <Figures key={m.action} x={x} y={y} mark={m} size={20} />;
			})}
		</g>
	</Table>;
}

type Tool = "x" | "o" | "."; // drop a disc of First or of Second, or take a disc away

// In the editor, a click on a column drops a disc of the chosen colour or takes the top disc away.
function Setup({ text, position, change }: SetupProps) {
	const [tool, choose] = useState<Tool>("x");
	const rows = rowsOf(text) ?? rowsOf(position.position)!;
	const act = (x: number) => {
		const y = topOf(rows, x) - (tool === "." ? 0 : 1);
		return y < 0 || y >= height ? undefined : () => change(textOf(rows, x, y, tool));
	};
	return <>
		<Palette<Tool> label={say("Action of a click")} chosen={tool} choose={choose}
			all={[{ value: "x", label: side("first"), picture: <Sample owner="first" /> }, { value: "o",
				label: side("second"), picture: <Sample owner="second" /> }, { value: ".", label: say("take a disc away") }]} />
		<Table rows={rows} choose={act} label={(x) => described(rows, x)} next={tool === "." ? undefined : ownerOf(tool)} />
	</>;
}

const Sample = ({ owner }: { owner: Player }) =>
	<svg class="board connectfour-board" viewBox="-50 -50 100 100" aria-hidden>
		<Disc owner={owner} />
	</svg>;

export const connectfour: GameUI = { side, words: (_: Position, action: string) => action, Board, Setup };
