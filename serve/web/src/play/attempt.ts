// An attempt to find a better move than the mistake that was played. The user tries moves, and the
// page says whether they are good. Then the board shows the best move and the line after it.
import type { Backend, Position } from "../backend/backend";
import { say } from "../words";
import { LinePlayer, type Preview } from "./lines";
import type { Outside } from "./outside";
import { gradeOf, outcomeValue, type Task } from "./search";

/** What the page says about the move that the user has tried; "" if nothing yet. */
export type Said = "" | "thinking" | "right" | "alsoGood" | "wrong" | "shown";

/** While there is a task, asks the user for the best move of a position. */
export class Attempt {
	said: Said = "";
	failed = false; // true after a wrong move or if the user asked for the answer
	error = "";
	private at?: Position;
	private task?: Task;
	private model?: string;
	private player: LinePlayer;
	private stop = new AbortController(); // ends the search that evaluates a tried move

	constructor(private backend: Backend, outside: Outside, private changed: () => void) {
		this.player = new LinePlayer(backend, outside, changed);
	}

	/** Asks the user for the best move of a position. A new position starts a new attempt. */
	pose(at: Position | undefined, task: Task | undefined, model: string | undefined) {
		if (at !== this.at || !task !== !this.task) {
			this.stop.abort();
			[this.said, this.failed, this.error] = ["", false, ""];
		}
		[this.at, this.task, this.model] = [at, task, model];
		const { over } = this;
		const best = over && task ? { move: task.best, line: task.line, visits: 0, prior: 0, value: task.value }
			: undefined;
		this.player.play(at, best);
	}

	get over(): boolean {
		return !!this.at && !!this.task && (this.said === "right" || this.said === "alsoGood" || this.said === "shown");
	}

	/** The best line, which the board shows once the attempt is over. */
	get line(): Preview | undefined {
		return this.player.shown;
	}

	async tried(action: string) {
		const { at, task, model } = this;
		if (!at || !task || this.over || this.said === "thinking") return;
		if (action === task.best) return this.put("right");
		this.put("thinking");
		const { signal } = this.stop = new AbortController();
		const end = (said: Said, error = "") => {
			// Ignore the result if the task has changed in the meantime.
			if (this.at !== at || this.said !== "thinking") return;
			if (error) this.error = error;
			this.put(said);
		};
		try {
			const [, after] = await this.backend.follow(at.game, at.position, [action]);
			const query = { game: at.game, position: after.position, model, simulations: 800 };
			const value = outcomeValue(after) ?? (await this.backend.analyse(query, () => {}, signal)).value;
			end(gradeOf((at.to_move === "first" ? 1 : -1) * (task.value - value)) ? "wrong" : "alsoGood");
		} catch (e) {
			end("", (e as Error).message);
		}
	}

	/** Shows the best move. */
	show() {
		this.put("shown");
	}

	close() {
		this.at = undefined;
		this.stop.abort();
		this.player.close();
	}

	private put(said: Said) {
		this.said = said;
		this.failed ||= said === "wrong" || said === "shown";
		this.pose(this.at, this.task, this.model);
		this.changed();
	}
}

/** Returns the comment on a move that the user has tried. */
export function told(said: Said): string {
	switch (said) {
		case "thinking":
			return say("Evaluating your move …");
		case "right":
			return say("Correct. This is the best move.");
		case "alsoGood":
			return say("Good move. It is as good as the best one.");
		case "wrong":
			return say("You can do better. Try another move.");
		case "shown":
			return say("This is the best move.");
	}
	return say("Find a better move.");
}
