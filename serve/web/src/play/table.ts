// The game on the table: its positions, where in it one looks, and what is done to it.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import { say } from "../words";
import { extend, leaf, lineThrough, promote, read, remove, variationOf, write, type Node } from "./tree";

export interface Game {
	root: Node;
	line: Node[]; // the line that is looked at, from the root to its end
	positions: Position[]; // of the line
	at: number; // the one that is looked at
	went: "on" | "back" | "new"; // how the page came to look there: only steps on are animated
	before?: Game; // the game that this one took the place of
}

export interface Table {
	game?: Game;
	now?: Position;
	atEnd: boolean;
	busy(): boolean; // whether something that was asked for is still to come
	error: string;
	/**
	 * Plays an action where one looks. What was played there before stays, as another line. The bot's leave an error in
	 * sight.
	 */
	act(action: string, bot?: boolean): Promise<void>;
	/** Plays several actions, of which the positions are known. */
	follow(positions: Position[]): void;
	go(at: number): void; // in the line
	goTo(node: Node): void; // anywhere in the tree
	/** Makes a variation the main line at its place. */
	promote(first: Node): void;
	/** Takes a variation out of the tree. */
	remove(first: Node): void;
	/** Begins a new game, from the usual start or from what is dealt for training. */
	fresh(game: string, dealt?: boolean): Promise<void>;
	/** Comes back to the game that a new or a loaded one took the place of. */
	restore(): void;
	/** Puts a position or a saved game on the table; an Error says what is wrong with the text. */
	load(game: string, text: string): Promise<void>;
	report(error: unknown): void;
}

/** The game as one sees it at a node of its tree. */
function seen(node: Node, went: Game["went"], before?: Game): Game {
	const line = lineThrough(node);
	return { root: line[0], line, positions: line.map((n) => n.position), at: line.indexOf(node), went, before };
}

/**
 * The part of the address behind #: the game, where it began, its moves with their variations, and after which of them
 * one looks.
 */
export function linkOf({ root, line, at }: Pick<Game, "root" | "line" | "at">): string {
	const query = new URLSearchParams({ game: root.position.game, position: root.position.position });
	const { text, order } = write(root);
	if (text) query.set("moves", text);
	if (line[at].children.length || variationOf(line[at])) query.set("at", String(order.indexOf(line[at])));
	return `#play?${query}`;
}

export function useTable(backend: Backend, query: URLSearchParams, games: string[]): Table {
	const [game, setGame] = useState<Game>();
	const [error, setError] = useState("");
	const latest = useRef<Game | undefined>(undefined);
	const asked = useRef(0); // grows with every change, so that late answers are known
	const put = (g: Game) => {
		latest.current = g;
		setGame(g);
	};
	const [, setReports] = useState(0); // the page is drawn again even if the error is the same
	const report = (e: unknown) => {
		setError(e instanceof Error ? e.message : String(e));
		setReports((n) => n + 1);
	};

	const waiting = useRef(0);
	async function change(get: () => Promise<Game | undefined>, bot = false) {
		const mine = ++asked.current;
		if (!bot) setError("");
		waiting.current++;
		document.body.dataset.state = "busy";
		try {
			const g = await get();
			if (mine === asked.current && g) put(g);
		} catch (e) {
			if (mine === asked.current) report(e);
		} finally {
			waiting.current--;
			setReports((n) => n + 1);
		}
	}

	const fresh = (name: string, dealt = false) =>
		change(async () => {
			const start = await backend.start(name, Math.floor(Math.random() * 2 ** 31), !dealt);
			return seen(leaf(start), "new", replaced());
		});
	// What a new game takes the place of: a game in which something was played.
	const replaced =
		() => (latest.current?.root.children.length ? { ...latest.current, went: "new" as const, before: undefined }
			: latest.current?.before);

	// The game of a link; a link that cannot be read is reported, and a new game begins.
	useEffect(() => {
		const name = query.get("game"), position = query.get("position");
		const fallback = games[0];
		if (!position) {
			void fresh(name && games.includes(name) ? name : fallback);
			return;
		}
		void (async () => {
			const mine = ++asked.current;
			setError("");
			try {
				if (!name || !games.includes(name)) {
					throw new Error(name ? say("no bot here plays {0}", name) : say("the link names no game"));
				}
				const { order } = write(await read(backend, name, position, query.get("moves") ?? ""));
				const at = query.get("at") === null ? undefined : order[Number(query.get("at"))];
				if (mine === asked.current) put(seen(at ?? endOf(order[0]), "new"));
			} catch (e) {
				if (mine !== asked.current) return;
				await fresh(name && games.includes(name) ? name : fallback);
				report(e);
			}
		})();
	}, [query]);

	// The address follows the game, so that it can be shared and survives a reload.
	useLayoutEffect(() => {
		if (game) history.replaceState(null, "", linkOf(game));
	}, [game]);

	const goTo = (node: Node | undefined) => {
		const g = latest.current;
		if (!g || !node || node === g.line[g.at]) return;
		asked.current++;
		setError("");
		put(seen(node, node.parent === g.line[g.at] ? "on" : "back", g.before));
	};

	const now = game?.positions[game.at];
	return { game, now, error, fresh, report, busy: () => waiting.current > 0,
		atEnd: !!game && game.at === game.positions.length - 1, act: (action, bot) =>
			change(async () => {
				const g = latest.current!, here = g.line[g.at];
				const child = here.children.find((c) => c.position.move === action);
				if (child) return seen(child, "on", g.before);
				const [, after] = await backend.follow(here.position.game, here.position.position, [action]);
				return seen(extend(here, [after]), "on", g.before);
			}, bot), follow: (positions) => {
			const g = latest.current!;
			asked.current++;
			put(seen(extend(g.line[g.at], positions), "on", g.before));
		}, restore: () => {
			const before = latest.current?.before;
			if (!before) return;
			asked.current++;
			put(before);
		}, go: (at) => goTo(latest.current?.line[at]), goTo, promote: (first) => {
			promote(first);
			const g = latest.current!;
			put({ ...g });
		}, remove: (first) => {
			const g = latest.current!, parent = first.parent!;
			const inside = g.line.includes(first) && g.at >= g.line.indexOf(first);
			remove(first);
			asked.current++;
			put(seen(inside ? parent : g.line[g.at], "back", g.before));
		}, load: async (name, text) => {
			const mine = ++asked.current;
			const [first, ...rest] = await backend.read(name, text);
			if (mine === asked.current) put(seen(extend(leaf(first), rest), "new", replaced()));
		} };
}

// endOf is the end of the main line.
function endOf(node: Node): Node {
	return node.children.length ? endOf(node.children[0]) : node;
}
