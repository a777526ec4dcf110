// The page of a report. It shows runs as they were when the report was written.
import { moment, say } from "../words";
import { LanguageChoice, ThemeButton } from "../theme";
import { Dashboard } from "./dashboard";
import type { Run } from "./live";

export function Report({ runs, program }: { runs: Run[]; program: string }) {
	const written = runs.map((r) => r.stage.written).filter((t) => t !== undefined).sort().pop();
	return <>
		<header>
			<span class="brand">dojo</span>
			<span class="dim">{say("report")}</span>
			<LanguageChoice />
			<ThemeButton />
		</header>
		<main id="main">
			<Dashboard runs={runs} />
		</main>
		<footer>{written && `${say("As of {0}.", moment(written))} `}{say("Written by dojo {0}.", program)}</footer>
	</>;
}
