import { say } from "../words";

/** Shown if there is no run. */
export function NoRun() {
	return <p class="empty">
		{say("There is no run yet. Begin one with this command: in the folder that is served it appears here.")}{" "}
		<code>dojo train</code>
	</p>;
}
