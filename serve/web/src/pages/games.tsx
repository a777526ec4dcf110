// The page of the games of the runs: a list, and the game that is chosen from it. The address
// contains all choices: #games?run=…&source=…&generation=…&number=…&ply=….
import { List } from "../games/list";
import { useRun } from "../games/run";
import { Viewer } from "../games/viewer";

export default function Games({ query }: { query: URLSearchParams }) {
	const { runs, run, address, absent } = useRun("games", query);
	if (!run) return <>{absent}</>;
	return <div class="games">
		<List run={run.run} game={run.game} runs={runs.map((r) => r.run)} query={query} address={address} />
		{query.has("number") && <Viewer run={run.run} query={query} address={address} />}
	</div>;
}
