// The tree of a game: the moves that were played from each position, including variations.
import { say } from "../words";
import type { Backend, Position } from "../backend/backend";

/** A position in the tree, and the moves that were played from it. */
export interface Node {
	id: number; // unique on the page
	position: Position;
	parent?: Node;
	// The first child continues the line of this node. The other children are variations.
	children: Node[];
	taken?: Node; // the child in the most recently shown line
}

let made = 0;

export const leaf = (position: Position, parent?: Node): Node => ({ id: ++made, position, parent, children: [] });

/**
 * Adds consecutive positions after a node and returns the last node. If a position is already in
 * the tree, its node is reused.
 */
export function extend(node: Node, positions: Position[]): Node {
	for (const p of positions) {
		let child = node.children.find((c) => c.position.move === p.move);
		if (!child) node.children.push(child = leaf(p, node));
		node = child;
	}
	return node;
}

/**
 * Returns the line through a node: from the start to the node, and then along the line that was
 * shown last.
 */
export function lineThrough(node: Node): Node[] {
	const line: Node[] = [];
	for (let n: Node | undefined = node; n; n = n.parent) line.unshift(n);
	for (let n = node.taken ?? node.children[0]; n; n = n.taken ?? n.children[0]) line.push(n);
	for (const n of line) if (n.parent) n.parent.taken = n;
	return line;
}

/** Returns the first node of the variation that contains a node, or undefined on the main line. */
export function variationOf(node: Node): Node | undefined {
	for (let n: Node | undefined = node; n?.parent; n = n.parent) if (n.parent.children[0] !== n) return n;
	return undefined;
}

/** Makes a variation the main line, from the position where it begins. */
export function promote(first: Node) {
	const all = first.parent!.children;
	all.unshift(...all.splice(all.indexOf(first), 1));
}

/** Removes a node and everything after it from the tree. */
export function remove(node: Node) {
	const parent = node.parent!;
	parent.children = parent.children.filter((c) => c !== node);
	if (parent.taken === node) parent.taken = undefined;
}

/**
 * Returns the moves of a tree as text, and its nodes in the order of the text, beginning with the
 * root. As in chess notation, variations are in brackets after the move that they replace:
 * a,b,(c,d),e has two lines, a b e and a c d.
 */
export function write(root: Node): { text: string; order: Node[] } {
	const order = [root], tokens: string[] = [];
	const after = (node: Node) => {
		for (let n = node; n.children.length; n = n.children[0]) {
			const [main, ...others] = n.children;
			tokens.push(main.position.move!);
			order.push(main);
			for (const o of others) {
				tokens.push(`(${o.position.move}`);
				order.push(o);
				after(o);
				tokens[tokens.length - 1] += ")";
			}
		}
	};
	after(root);
	return { text: tokens.join(","), order };
}

// most is the largest number of variations in a link. Each variation needs a request to the back
// end.
const most = 200;

/**
 * Reads the text that write returns. If a move is wrong, it throws an Error that names the move.
 */
export async function read(backend: Backend, game: string, position: string, text: string): Promise<Node> {
	interface Move {
		move: string;
		children: Move[];
		parent?: Move;
	}
	const start: Move = { move: "", children: [] };
	// A stack of moves. When a variation ends, the line that contains it continues after the top
	// move.
	const open: Move[] = [];
	let last = start, variations = 0;
	for (const token of text.split(",").filter(Boolean)) {
		const [, opens, move, closes] = /^(\(?)(.*?)(\)*)$/s.exec(token)!;
		if (opens && (!last.parent || ++variations > most)) {
			throw new Error(
				last.parent ? say("The link has more than {0} variations.", most)
					: say("The link has a variation before the first move: {0}", token),
			);
		}
		const parent: Move = opens ? last.parent! : last;
		if (opens) open.push(last);
		parent.children.push(last = { move, children: [], parent });
		for (const _ of closes) {
			const back = open.pop();
			if (!back) throw new Error(say("The link has one closing bracket too many: {0}", token));
			last = back;
		}
	}
	// Request the positions of each line with one call. Then request the variations of its moves.
	const fill = async (from: Node, first: Move | undefined) => {
		const moves: Move[] = [];
		for (let m = first; m; m = m.children[0]) moves.push(m);
		const positions = await backend.follow(game, from.position.position, moves.map((m) => m.move));
		let node = from;
		const forks: [Node, Move][] = [];
		for (const [i, m] of moves.entries()) {
			node.children.push(leaf(positions[i + 1], node));
			node = node.children[node.children.length - 1];
			forks.push(...m.children.slice(1).map((v): [Node, Move] => [node, v]));
		}
		for (const [at, v] of forks) await fill(at, v);
	};
	const [initial] = await backend.follow(game, position, []);
	const root = leaf(initial);
	await fill(root, start.children[0]);
	for (const v of start.children.slice(1)) await fill(root, v);
	return root;
}
