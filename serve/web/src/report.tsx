// The script in a page that "dojo report" writes. It shows the dashboard of the page's runs.
import { Report } from "./dashboard/report";
import { begin } from "./show";

const data = JSON.parse(document.getElementById("report")!.textContent!);
void begin(async () => () => <Report {...data} />);
