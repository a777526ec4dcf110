// The script of a file that "dojo report" writes: the dashboard of the runs in the file.
import { Report } from "./dashboard/report";
import { begin } from "./show";

const data = JSON.parse(document.getElementById("report")!.textContent!);
void begin(async () => () => <Report {...data} />);
