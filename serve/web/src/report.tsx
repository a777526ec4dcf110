// What a file has that "dojo report" wrote: the dashboard of the runs in it.
import { Report } from "./dashboard/report";
import { begin } from "./show";

const data = JSON.parse(document.getElementById("report")!.textContent!);
void begin(async () => () => <Report {...data} />);
