import { say } from "../words";

/** Shown if there is no run. */
export function NoRun() {
	return <p class="empty">
		{say("There is no run yet. Start one in the folder that this server shows, with this command:")}{" "}
		<code>dojo train</code>
	</p>;
}
