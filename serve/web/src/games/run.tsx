// This file finds the run that the address of a page names.
import type { ComponentChild } from "preact";
import { Absent, useAnswer } from "../answer";
import { NoRun } from "../dashboard/empty";
import { say } from "../words";
import { runsOf, type Address } from "./api";

type Run = { run: string; game: string };

/**
 * Returns the runs of the server, the run that the page's address names, and what to show if that
 * run does not exist.
 */
export function useRun(page: string, query: URLSearchParams) {
	const { answer, error } = useAnswer(runsOf, []), runs: Run[] = answer ?? [];
	const named = query.get("run"), run: Run | undefined = named ? runs.find((r) => r.run === named) : runs[0];
	const address: Address = (changes) => {
		const q = new URLSearchParams(query);
		for (const [key, value] of Object.entries(changes)) value === "" ? q.delete(key) : q.set(key, value);
		return `#${page}?${q}`;
	};
	const absent: ComponentChild = !answer ? <Absent error={error} /> :
		!runs.length ? <NoRun /> : !run && <p class="error" role="alert">
			{say("There is no run {0} here.", named!)} <a href={`#${page}`}>{say("Show all runs")}</a>
		</p>;
	return { runs, run, address, absent };
}
