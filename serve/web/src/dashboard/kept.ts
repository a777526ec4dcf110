// This file stores the user's pins and notes for runs in the browser.
import { useState } from "preact/hooks";
import { keep, kept } from "../kept";
import type { Run } from "./live";

interface Kept {
	pin?: boolean;
	note?: string;
}

const name = "dojo-runs";
// The key contains the game and the seed, because a later server at the same address may show a
// different run with the same name.
const key = (run: Run) => `${run.game}/${run.run}/${run.seed}`;

const load = () => kept<{ [key: string]: Kept }>(name, {});

/** Returns the stored pins and notes, and a function that changes them. */
export function useKeptRuns() {
	const [all, setAll] = useState(load);
	return { of: (run: Run): Kept => all[key(run)] ?? {}, change(run: Run, changes: Kept) {
		const { pin, note } = { ...all[key(run)], ...changes };
		const next = { ...load(), [key(run)]: { ...(pin && { pin }), ...(note && { note }) } };
		setAll(next);
		keep(name, next);
	} };
}
