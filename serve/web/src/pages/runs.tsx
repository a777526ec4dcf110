import { useEffect, useState } from "preact/hooks";
import { Dashboard } from "../dashboard/dashboard";
import { listen, type Connection, type Run } from "../dashboard/live";
import { say } from "../words";

/** The dashboard of the server's runs. */
export default function Runs() {
	const [runs, setRuns] = useState<Run[]>();
	const [connection, setConnection] = useState<Connection>("connecting");
	useEffect(() => listen((r, c) => (setRuns(r), setConnection(c))), []);
	if (!runs) return <p class="loading" role="status">{say("Loading …")}</p>;
	return <Dashboard runs={runs} connection={connection} />;
}
