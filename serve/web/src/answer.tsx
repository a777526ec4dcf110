// What the pages ask for, and what they show until it is there.
import { useEffect, useState } from "preact/hooks";
import { say } from "./words";

/** The answer to a question, or what is wrong. With other keys it is asked again; until then the last answer stays. */
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

/** What is wrong, if anything is. */
export const Failure = ({ error }: { error?: string }) => (error ? <p class="error" role="alert">{error}</p> : null);

/** Stands for what is not there: why it is not, or that it is to come. */
export const Absent = ({ error }: { error?: string }) =>
	error ? <Failure error={error} /> : <p class="loading" role="status">{say("Loading …")}</p>;
