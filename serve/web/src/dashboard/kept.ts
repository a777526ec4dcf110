// What a reader keeps about runs in the browser: pins and notes.
import { useState } from "preact/hooks";
import type { Run } from "./live";

interface Kept {
	pin?: boolean;
	note?: string;
}

const name = "dojo-runs";
const key = (run: Run) => `${run.game}/${run.run}/${run.seed}`; // other servers at this address have other runs

function load(): { [key: string]: Kept } {
	try {
		return JSON.parse(localStorage.getItem(name) ?? "{}");
	} catch {
		return {}; // storage is forbidden, or holds something else
	}
}

/** What is kept about runs, and a function that changes it. */
export function useKeptRuns(): { of(run: Run): Kept; change(run: Run, changes: Kept): void } {
	const [all, setAll] = useState(load);
	return { of: (run) => all[key(run)] ?? {}, change(run, changes) {
		const { pin, note } = { ...all[key(run)], ...changes };
		const next = { ...load(), [key(run)]: { ...(pin && { pin }), ...(note && { note }) } };
		setAll(next);
		try {
			localStorage.setItem(name, JSON.stringify(next));
		} catch { /* not remembered */ }
	} };
}
