// The table holds the game: its tree of positions, the current position, and the actions that
// change them.
import type { Backend, Position } from "../backend/backend";
import { say } from "../words";
import type { Outside } from "./outside";
import { extend, leaf, lineThrough, promote, read, remove, variationOf, write, type Node } from "./tree";

export interface Game {
	root: Node;
	line: Node[]; // current line, from the root to its end
	positions: Position[]; // positions of this line
	at: number; // index of the current position
	// went is how the page reached the current position. Only steps forward are animated.
	went: "on" | "back" | "new";
	before?: Game; // the previous game on the table
}

/** Returns the game with the given node as the current position. */
function seen(node: Node, went: Game["went"], before?: Game): Game {
	const line = lineThrough(node);
	return { root: line[0], line, positions: line.map((n) => n.position), at: line.indexOf(node), went, before };
}

/**
 * Returns the part of the address after #: the game, its first position, its moves, and the current
 * position.
 */
export function linkOf({ root, line, at }: Pick<Game, "root" | "line" | "at">): string {
	const query = new URLSearchParams({ game: root.position.game, position: root.position.position });
	const { text, order } = write(root);
	if (text) query.set("moves", text);
	if (line[at].children.length || variationOf(line[at])) query.set("at", String(order.indexOf(line[at])));
	return `#play?${query}`;
}

/**
 * Returns the game in the form that the back end needs: the game's name, its first position and its
 * moves.
 */
export function played({ positions: [first, ...rest] }: Game): [game: string, position: string, moves: string[]] {
	return [first.game, first.position, rest.map((p) => p.move!)];
}

export class Table {
	game?: Game;
	error = "";
	private asked = 0; // counts changes, so that late answers can be ignored
	private waiting = 0; // number of requests without an answer

	constructor(private backend: Backend, private games: string[], private outside: Outside,
		private changed: () => void)
	{}

	get now(): Position | undefined {
		return this.game?.positions[this.game.at];
	}

	get atEnd(): boolean {
		return !!this.game && this.game.at === this.game.positions.length - 1;
	}

	/** Whether a request is pending. */
	get busy(): boolean {
		return this.waiting > 0;
	}

	/**
	 * Opens the game of a link. If the link is invalid, the table reports that and begins a new
	 * game.
	 */
	async open(query: URLSearchParams) {
		const name = query.get("game"), position = query.get("position"), known = !!name && this.games.includes(name);
		const fresh = () => this.fresh(known ? name : this.games[0]);
		if (!position) return fresh();
		const mine = this.ask();
		this.waiting++;
		try {
			if (!known) {
				throw new Error(
					name ? say("The link cannot be opened, because no bot here plays {0}.", name)
						: say("The link cannot be opened, because it names no game."),
				);
			}
			const { order } = write(await read(this.backend, name, position, query.get("moves") ?? ""));
			const at = query.get("at") === null ? undefined : order[Number(query.get("at"))];
			if (mine === this.asked) this.put(seen(at ?? endOf(order[0]), "new"));
		} catch (e) {
			if (mine !== this.asked) return;
			await fresh();
			this.report(e);
		} finally {
			this.waiting--;
		}
	}

	/**
	 * Plays an action in the current position. Moves that were played there before remain as
	 * variations. If a human plays the action, an earlier error message disappears.
	 */
	act(action: string, bot = false) {
		return this.change(async () => {
			const g = this.game!, here = g.line[g.at];
			const child = here.children.find((c) => c.position.move === action);
			if (child) return seen(child, "on", g.before);
			const [, after] = await this.backend.follow(here.position.game, here.position.position, [action]);
			return seen(extend(here, [after]), "on", g.before);
		}, bot);
	}

	/** Plays the actions that lead to the given positions, which follow one another. */
	follow(positions: Position[]) {
		const g = this.game!;
		this.asked++;
		this.put(seen(extend(g.line[g.at], positions), "on", g.before));
	}

	/** Goes to a position of the line. */
	go(at: number) {
		const node = this.game?.line[at];
		if (node) this.goTo(node);
	}

	/** Goes to a position anywhere in the tree. */
	goTo(node: Node) {
		const g = this.game!;
		if (node === g.line[g.at]) return;
		this.ask();
		this.put(seen(node, node.parent === g.line[g.at] ? "on" : "back", g.before));
	}

	/** Makes a variation the main line, from the position where it begins. */
	promote(first: Node) {
		promote(first);
		this.put({ ...this.game! });
	}

	/** Removes a variation from the tree. */
	remove(first: Node) {
		const g = this.game!, parent = first.parent!;
		const inside = g.line.includes(first) && g.at >= g.line.indexOf(first);
		remove(first);
		this.asked++;
		this.put(seen(inside ? parent : g.line[g.at], "back", g.before));
	}

	/**
	 * Begins a new game, from the standard start or, if dealt is true, from a random start as in
	 * training.
	 */
	fresh(game: string, dealt = false) {
		return this.change(async () => {
			const start = await this.backend.start(game, Math.floor(Math.random() * 2 ** 31), !dealt);
			return seen(leaf(start), "new", this.replaced());
		});
	}

	/** Returns to the game that a new or loaded game has replaced. */
	restore() {
		const before = this.game?.before;
		if (!before) return;
		this.asked++;
		this.put(before);
	}

	/**
	 * Loads a position or a saved game. If the text is wrong, the promise rejects with an Error
	 * that explains why.
	 */
	async load(game: string, text: string) {
		const mine = ++this.asked;
		const [first, ...rest] = await this.backend.read(game, text);
		if (mine === this.asked) this.put(seen(extend(leaf(first), rest), "new", this.replaced()));
	}

	report(e: unknown) {
		this.error = e instanceof Error ? e.message : String(e);
		this.changed();
	}

	/** From now on, ignores all answers of the back end. */
	close() {
		this.asked++;
	}

	private ask(): number {
		this.error = "";
		return ++this.asked;
	}

	private put(g: Game) {
		this.game = g;
		this.outside.address(linkOf(g));
		this.changed();
	}

	private async change(get: () => Promise<Game>, bot = false) {
		const mine = bot ? ++this.asked : this.ask();
		this.waiting++;
		this.outside.busy();
		this.changed();
		try {
			const g = await get();
			if (mine === this.asked) this.put(g);
		} catch (e) {
			if (mine === this.asked) this.report(e);
		} finally {
			this.waiting--;
			this.changed();
		}
	}

	// replaced returns the game to which the user can return after starting a new one: the last
	// game with at least one move.
	private replaced(): Game | undefined {
		const g = this.game;
		return g?.root.children.length ? { ...g, went: "new", before: undefined } : g?.before;
	}
}

// endOf returns the last node of the main line after a node.
function endOf(node: Node): Node {
	return node.children.length ? endOf(node.children[0]) : node;
}
