// Finding a better move than the one that was played: one tries, is told, and then sees the best
// move and its line on the board.
import { useEffect, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import { useLine } from "./hooks";
import { outcomeValue, type Task } from "./search";

/** What a try came to. */
export type Said = "" | "thinking" | "right" | "alsoGood" | "wrong" | "shown";

export type Attempt = ReturnType<typeof useAttempt>;

/** Asks for the best move of a position, as long as there is a task. */
export function useAttempt(backend: Backend, at: Position | undefined, task: Task | undefined,
	model: string | undefined)
{
	const [said, setSaid] = useState<Said>("");
	const [failed, setFailed] = useState(false); // at least once
	const [error, setError] = useState("");
	const asked = !!at && !!task;
	useEffect(() => {
		setSaid("");
		setFailed(false);
		setError("");
	}, [at, asked]);
	const over = asked && (said === "right" || said === "alsoGood" || said === "shown");
	const line = useLine(backend, at,
		over ? { move: task.best, line: task.line, visits: 0, prior: 0, value: task.value } : undefined);
	const tried = async (action: string) => {
		if (!asked || over || said === "thinking") return;
		if (action === task.best) {
			setSaid("right");
			return;
		}
		setSaid("thinking");
		try {
			const [, after] = await backend.follow(at.game, at.position, [action]);
			const value = outcomeValue(after) ??
				(await backend.analyse({ game: at.game, position: after.position, model, simulations: 800 }, () => {},
					new AbortController().signal)).value;
			const loss = (at.to_move === "first" ? 1 : -1) * (task.value - value);
			if (loss >= 0.1) setFailed(true);
			setSaid(loss < 0.1 ? "alsoGood" : "wrong");
		} catch (e) {
			setError((e as Error).message);
			setSaid("");
		}
	};
	const show = () => {
		setFailed(true);
		setSaid("shown");
	};
	return { said, failed, over, error, line, tried, show };
}

/** What there is to say of a try. */
export function told(said: Said): string {
	switch (said) {
		case "thinking":
			return say("Looking at your move …");
		case "right":
			return say("Right: that is the best move.");
		case "alsoGood":
			return say("That is as good.");
		case "wrong":
			return say("Not this one. Try again.");
		case "shown":
			return say("This was the move.");
	}
	return say("Find a better move.");
}

/** The panel of a mistake in a game: what was played, what was better, and on to the next one. */
export function AttemptPanel(
	{ attempt, task, at, ui, next, leave }: { attempt: Attempt; task: Task; at: Position; ui: GameUI; next?(): void;
		leave(): void },
) {
	return (
		<div id="attempt" class="panel">
			<p id="attempt-said" class={`status ${attempt.said}`} role="status">{told(attempt.said)}</p>
			{attempt.error && <p class="error" role="alert">{attempt.error}</p>}
			{task.played && <p>{say("Played: {0}", ui.words(at, task.played))}</p>}
			{attempt.over && <p id="attempt-answer">{say("Best: {0}", ui.words(at, task.best))}</p>}
			<div class="row fill">
				{!attempt.over && <button id="attempt-show" onClick={attempt.show}>{say("Show me")}</button>}
				{next && (
					<button id="attempt-next" class={attempt.over ? "primary" : ""} onClick={next}>{say("Next mistake")}</button>
				)}
				<button id="attempt-leave" onClick={leave}>{say("Back to the game")}</button>
			</div>
		</div>
	);
}
