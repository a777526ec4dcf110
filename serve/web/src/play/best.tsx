// The best line of a search, in words.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Analysis, Backend, Move, Player, Position } from "../backend/backend";
import type { GameUI } from "../boards/board";
import { number, say } from "../words";

const pause = 400; // ms for which the rest of a line has to stay the best before it is followed
const most = 8; // moves shown

/** The positions along the best line, of a search of the position that is looked at. */
export function useBest(backend: Backend, now: Position | undefined, analysis: Analysis | undefined): Position[]
	| undefined
{
	const [known, setKnown] = useState<Position[]>();
	const moves = analysis?.moves[0]?.line ?? [], text = moves.join(" ");
	useEffect(() => {
		if (!now || !text) return;
		let gone = false;
		const timer = setTimeout(() =>
			backend.follow(now.game, now.position, moves).then((p) => {
				if (!gone) setKnown(p);
			}, () => {/* the position went away meanwhile */}),
			known?.[0].position === now.position && known[1]?.move === moves[0] ? pause : 0);
		return () => {
			gone = true;
			clearTimeout(timer);
		};
	}, [now, text]);
	return known?.[0].position === now?.position ? known : undefined;
}

/** In how many of their own moves the winner of a proven move wins, where its line goes to the end of the game. */
export function useEnds(backend: Backend, now: Position | undefined,
	analysis: Analysis | undefined): (m: Move) => number | undefined
{
	const known = useRef(new Map<string, number | undefined>());
	const [, redraw] = useState(0);
	const key = (m: Move) => `${now?.game} ${now?.position} ${m.line?.join(" ")}`;
	useEffect(() => {
		for (const m of analysis?.moves.slice(0, most) ?? []) {
			if (!now || !m.line || !m.proven || m.proven === "draw" || known.current.has(key(m))) continue;
			known.current.set(key(m), undefined);
			backend.follow(now.game, now.position, m.line).then((positions) => {
				if (positions[positions.length - 1].outcome !== m.proven) return;
				known.current.set(key(m), positions.slice(0, -1).filter((p) => p.to_move === m.proven).length);
				redraw((n) => n + 1);
			}, () => {/* it stays unknown */});
		}
	}, [analysis, now]);
	return (m) => known.current.get(key(m));
}

/**
 * The best line: each of its moves leads to the position after it. In a game with points, by how many the network
 * expects the reader to be ahead at the end.
 */
export function BestLine(
	{ positions, expected, reader, ui, go }: { positions?: Position[]; expected?: number; reader: Player; ui: GameUI;
		go?(positions: Position[]): void },
) {
	const lead = reader === "first" ? expected! : -expected!, points = number(Math.abs(lead), 1);
	return (
		<>
			<p class="principal small" tabindex={0} role="group" aria-label={say("Best line")}>
				{positions?.slice(1, most + 1).map((p, i) => (
					<button key={i} class={`quiet ${positions[i].to_move}`} disabled={!go} onClick={() =>
						go!(positions.slice(1, i + 2))}>
						{ui.words(positions[i], p.move!)}
					</button>
				))}
			</p>
			{expected !== undefined && (
				<p id="lead" class="small">
					{lead < 0 ? say("Expected at the end: {0} {1} points behind", ui.side(reader), points)
						: say("Expected at the end: {0} {1} points ahead", ui.side(reader), points)}
				</p>
			)}
		</>
	);
}
