// A game as a small picture: its board, its winner, and two figures that help to decide whether the
// game is interesting.
import { boardOf } from "../boards";
import { say } from "../words";
import type { Listed } from "./api";

interface Props {
	g: Listed;
	game: string; // name of the game, such as onitama
	href: string;
	here?: boolean; // whether the page shows this game now
	named?: boolean; // whether the card shows the game's generation
}

export function GameCard({ g, game, href, here, named }: Props) {
	const { side, Board, men = "" } = boardOf(game);
	const name = named ? `${g.generation} / ${g.number}` : String(g.number);
	const winner = g.outcome === "draw" ? say("draw") : say("{0} won", side(g.outcome));
	return <a class="card" href={href} aria-current={here ? "true" : undefined} data-game={`${g.generation}/${g.number}`}>
		{g.board && <div class="thumb" aria-hidden inert>
			<div class="small-board">
				<Board position={g.board} />
			</div>
		</div>}
		<span class="what">
			<b>{name}</b> <span class={`winner ${g.outcome} ${men}`}>{winner}</span>
			<small class="dim">
				{g.source === "gate" ? `${g.first} – ${g.second}, ` : ""}
				{say("{0} moves", g.length)}
				{g.swing !== null && <>
					<br />
					{say("swing {0} %, surprise {1} %", Math.round(50 * g.swing), Math.round(50 * (g.surprise ?? 0)))}
				</>}
			</small>
		</span>
	</a>;
}
