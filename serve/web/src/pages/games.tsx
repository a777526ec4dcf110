// The games of the runs: a list, and a game that is chosen from it. All that is chosen
// stands in the address: #games?run=…&source=…&generation=…&number=…&ply=….
import { useEffect, useState } from "preact/hooks";
import { runsOf, type Address } from "../games/api";
import { NoRun } from "../dashboard/empty";
import { List } from "../games/list";
import { Viewer } from "../games/viewer";
import { say } from "../words";

export default function Games({ query }: { query: URLSearchParams }) {
	const [runs, setRuns] = useState<{ run: string; game: string }[]>();
	const [error, setError] = useState("");
	useEffect(() => void runsOf().then(setRuns, (e: Error) => setError(e.message)), []);
	if (error) return <p class="error" role="alert">{error}</p>;
	if (!runs) return <p class="loading" role="status">{say("Loading …")}</p>;
	if (!runs.length) return <NoRun />;
	const address: Address = (changes) => {
		const q = new URLSearchParams(query);
		for (const [key, value] of Object.entries(changes)) value === "" ? q.delete(key) : q.set(key, value);
		return `#games?${q}`;
	};
	const named = query.get("run"), run = named ? runs.find((r) => r.run === named) : runs[0];
	if (!run) {
		return (
			<p class="error" role="alert">
				{say("There is no run {0} here.", named!)} <a href="#games">{say("See the others")}</a>
			</p>
		);
	}
	return (
		<div class="games">
			<List run={run.run} game={run.game} runs={runs.map((r) => r.run)} query={query} address={address} />
			{query.has("number") && <Viewer run={run.run} query={query} address={address} />}
		</div>
	);
}
