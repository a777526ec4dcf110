// The tree of a game: what was played from each position, with its variations.
import { say } from "../words";
import type { Backend, Position } from "../backend/backend";

/** A position and what was played from it. */
export interface Node {
	id: number; // different for all nodes of the page
	position: Position;
	parent?: Node;
	children: Node[]; // the first goes on with the line that its parent is in, the others are variations
	taken?: Node; // the child through which one looked last
}

let made = 0;

export const leaf = (position: Position, parent?: Node): Node => ({ id: ++made, position, parent, children: [] });

/** Adds successive positions after a node, without adding one twice, and returns the last. */
export function extend(node: Node, positions: Position[]): Node {
	for (const p of positions) {
		let child = node.children.find((c) => c.position.move === p.move);
		if (!child) node.children.push(child = leaf(p, node));
		node = child;
	}
	return node;
}

/** The line through a node: from the start to it, and on from it where one looked last. */
export function lineThrough(node: Node): Node[] {
	const line: Node[] = [];
	for (let n: Node | undefined = node; n; n = n.parent) line.unshift(n);
	for (let n = node.taken ?? node.children[0]; n; n = n.taken ?? n.children[0]) line.push(n);
	for (const n of line) if (n.parent) n.parent.taken = n;
	return line;
}

/** The first node of the variation that a node is in, or none on the main line. */
export function variationOf(node: Node): Node | undefined {
	for (let n: Node | undefined = node; n?.parent; n = n.parent) if (n.parent.children[0] !== n) return n;
	return undefined;
}

/** Makes a variation the main line at its place. */
export function promote(first: Node) {
	const all = first.parent!.children;
	all.unshift(...all.splice(all.indexOf(first), 1));
}

/** Takes a node, and all that comes after it, out of the tree. */
export function remove(node: Node) {
	const parent = node.parent!;
	parent.children = parent.children.filter((c) => c !== node);
	if (parent.taken === node) parent.taken = undefined;
}

/**
 * The moves of a tree as text, and its nodes in the order in which they stand there, the
 * root first. Variations are in brackets after the move that they are an alternative to,
 * as chess players write them: a,b,(c,d),e has two lines, a b e and a c d.
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

const most = 200; // variations of a link: each asks the back end once

/** Reads what write wrote. An Error names the move that is wrong. */
export async function read(backend: Backend, game: string, position: string, text: string): Promise<Node> {
	interface Move {
		move: string;
		children: Move[];
		parent?: Move;
	}
	const start: Move = { move: "", children: [] };
	const open: Move[] = []; // where the lines around the one that is read go on
	let last = start, variations = 0;
	for (const token of text.split(",").filter(Boolean)) {
		const [, opens, move, closes] = /^(\(?)(.*?)(\)*)$/s.exec(token)!;
		if (opens && (!last.parent || ++variations > most)) {
			throw new Error(last.parent ? say("more than {0} variations", most) : say("{0}: a variation of no move", token));
		}
		const parent: Move = opens ? last.parent! : last;
		if (opens) open.push(last);
		parent.children.push(last = { move, children: [], parent });
		for (const _ of closes) {
			const back = open.pop();
			if (!back) throw new Error(say("{0}: a bracket too many", token));
			last = back;
		}
	}
	// A line is asked for at once, then the variations of its moves.
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
