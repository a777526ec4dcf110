import { say } from "../words";

/** What is shown instead of no run at all. */
export function NoRun() {
	return <p class="empty">
		{say("There is no run yet. Begin one with this command: in the folder that is served it appears here.")}{" "}
		<code>dojo train</code>
	</p>;
}
