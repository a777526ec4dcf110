// The list of the moves of the game, including its variations.
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import { gradeAfter, gradeNames, signs, type Findings } from "./search";
import type { Game, Table } from "./table";
import { MoveName } from "./move";
import { variationOf, type Node } from "./tree";

interface Props {
	game: Pick<Game, "root" | "line" | "at">;
	found?: Findings; // results of searches, used to grade moves
	ui: GameUI;
	// promote and remove change variations. If they are missing, variations cannot be changed.
	table: Pick<Table, "goTo"> & Partial<Pick<Table, "promote" | "remove">>;
}

/**
 * Lists the moves in words and in notation, and marks mistakes. Variations are indented below the
 * main move.
 */
export function Record(props: Props) {
	const { game, table } = props;
	const list = useRef<HTMLOListElement>(null);
	const here = game.line[game.at];
	useEffect(() => { // scroll to the current move
		const row = list.current?.querySelector<HTMLElement>("[aria-current]");
		if (row && list.current) list.current.scrollTop = row.offsetTop - list.current.clientHeight / 2;
	}, [here, game.root]);
	if (!game.root.children.length) return <p class="dim small">{say("No move has been played yet.")}</p>;
	const variation = variationOf(here);
	return <>
		<ol class="record" ref={list}>{rows(game.root, 1, props)}</ol>
		{variation && <div class="row fill">
			<button id="promote" onClick={() => table.promote?.(variation)}>{say("Make main line")}</button>
			<button id="remove" onClick={() => table.remove?.(variation)}>{say("Delete variation")}</button>
		</div>}
	</>;
}

// rows lists the moves after a node. The parameter nth is the number of the first of these moves in
// the game.
function rows(node: Node, nth: number, props: Props): ComponentChildren[] {
	const all: ComponentChildren[] = [];
	for (let at = node; at.children.length; at = at.children[0], nth++) {
		const [main, ...others] = at.children;
		all.push(<Row key={main.id} node={main} nth={nth} {...props} />);
		for (const o of others) {
			all.push(<li key={-o.id} class="variation">
				<ol aria-label={say("Variation")}>
					<Row node={o} nth={nth} {...props} />
					{rows(o, nth + 1, props)}
				</ol>
			</li>);
		}
	}
	return all;
}

function Row({ node, nth, game, found, ui, table }: Props & { node: Node; nth: number }) {
	const before = node.parent!.position, grade = found && gradeAfter(before, node.position, found),
		best = found?.get(before.position)?.best;
	const move = node.position.move!;
	return <li class={game.line[nth] === node ? "played" : "aside"}>
		<button class={grade} data-nth={nth} aria-current={game.line[game.at] === node ? "step" : undefined}
			onClick={() => table.goTo(node)}
			title={grade && best ? say("Best move: {0}", ui.words(before, best.move)) : undefined}>
			<i class={`dot ${before.to_move}`} aria-hidden />
			<span class="hidden">{`${ui.side(before.to_move)}: `}</span>
			<span class="what">
				<MoveName ui={ui} before={before} action={move} />
				{grade && <b>
					{" "}
					{signs[grade]}
					<span class="hidden">{" "}{say(gradeNames[grade])}</span>
				</b>}
			</span>
			<code>{move}</code>
		</button>
	</li>;
}
