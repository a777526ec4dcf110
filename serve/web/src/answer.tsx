// These functions send questions to the back end, and supply what a page shows until the answer
// arrives.
import { useEffect, useState } from "preact/hooks";
import { say } from "./words";

/**
 * Returns the answer to a question, or an error message. If keys changes, it asks again, and
 * returns the previous answer until the new one arrives.
 */
export function useAnswer<T>(ask: () => Promise<T>, keys: unknown[]): { answer?: T; error: string } {
	const [state, set] = useState<{ answer?: T; error: string }>({ error: "" });
	useEffect(() => {
		let gone = false;
		set(({ answer }) => ({ answer, error: "" }));
		ask().then((answer) => gone || set({ answer, error: "" }), (e: Error) => gone || set({ error: e.message }));
		return () => void (gone = true);
	}, keys);
	return state;
}

/** Shows an error message, if there is one. */
export const Failure = ({ error }: { error?: string }) => (error ? <p class="error" role="alert">{error}</p> : null);

/** Shown instead of data that the page does not have: an error message, or "Loading …". */
export const Absent = ({ error }: { error?: string }) =>
	error ? <Failure error={error} /> : <p class="loading" role="status">{say("Loading …")}</p>;
