// The shell of the pages. It opens the back end, and shows the navigation and one page. The part of
// the address after #, such as #play?game=onitama, names this page.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Site } from "./backend/backend";
import { open as server } from "./backend/server";
import { open as worker } from "./backend/worker";
import { begin } from "./show";
import { LanguageChoice, ThemeButton } from "./theme";
import { phrase, say } from "./words";

/** The properties of a page: the back end, and the part of the address after the question mark. */
interface PageProps {
	backend: Backend;
	query: URLSearchParams;
}

type Load = () => Promise<ComponentType<PageProps>>;

const table = () => import("./pages/table"); // all pages with boards are loaded together

// Maps the name of each page to its title and its code. The shell shows only pages that site.json
// names. The navigation lists only pages with a title; users reach the other pages through links. A
// page is loaded when the user opens it.
const pages: Record<string, { title?: string; load: Load }> = {
	runs: { title: phrase("Runs"), load: async () => (await import("./pages/runs")).default },
	games: { title: phrase("Games"), load: async () => (await table()).Games },
	play: { title: phrase("Play"), load: async () => (await table()).Play },
	learn: { title: phrase("Learn"), load: async () => (await table()).Learn },
	watch: { load: async () => (await table()).Watch },
	rules: { load: async () => (await table()).Rules },
};

function address(hash = location.hash) {
	const [page, query] = hash.slice(1).split("?", 2);
	return { page, query: new URLSearchParams(query) };
}

function App({ backend }: { backend: Backend }) {
	const [at, setAt] = useState(address);
	const [shown, setShown] = useState<{ name: string; Page: ComponentType<PageProps> }>();
	const [error, setError] = useState("");
	const names = backend.site.pages.filter((name) => pages[name]);
	const name = names.includes(at.page) ? at.page : names[0];
	// If the page shows a run, the navigation's link to the page for playing includes this run.
	const run = at.page !== "play" && at.query.get("run");
	// For each page, the address that it had when the user left it. The address includes the game
	// in progress.
	const left = useRef<Record<string, string>>({});
	useEffect(() => {
		// Use the address in the event. The value of location may differ, because the old page may
		// still write its own address when the user leaves it.
		const moved = ({ oldURL, newURL }: HashChangeEvent) => {
			const { hash } = new URL(oldURL);
			left.current[address(hash).page] = hash;
			if (location.href !== newURL) history.replaceState(null, "", newURL);
			setAt(address(new URL(newURL).hash));
		};
		addEventListener("hashchange", moved);
		return () => removeEventListener("hashchange", moved);
	}, []);
	useEffect(() => {
		setError("");
		pages[name].load().then((Page) => setShown({ name, Page }), (e) => setError(String(e)));
	}, [name]);
	return <>
		<a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>
			{say("Skip to content")}
		</a>
		<header>
			<span class="brand">dojo</span>
			{names.length > 1 &&
				(<nav aria-label={say("Pages")}>
					{names.filter((n) => pages[n].title).map((n) =>
						<a key={n}
							href={(n !== name && left.current[n]) ||
								(n === "play" && run ? `#play?${new URLSearchParams({ run })}` : `#${n}`)}
							aria-current={n === name ? "page" : undefined}>
							{say(pages[n].title!)}
						</a>
					)}
				</nav>)}
			<LanguageChoice />
			<ThemeButton />
		</header>
		<main id="main" tabindex={-1}>
			{error ? <p class="error" role="alert">{error}</p>
				: shown?.name === name ? <shown.Page backend={backend} query={at.query} />
				: <p class="loading" role="status">{say("Loading …")}</p>}
		</main>
		{backend.site.provenance && <footer>{backend.site.provenance.join("; ")}</footer>}
	</>;
}

/** Opens the back end that site.json names. */
async function open(): Promise<Backend> {
	const response = await fetch("site.json");
	if (!response.ok) throw new Error(`site.json: ${response.status} ${response.statusText}`);
	const site = (await response.json()) as Site;
	if (site.backend === "server") return server(site);
	return worker(site, (come, total) => {
		const bar = document.querySelector<HTMLProgressElement>("#app progress");
		if (bar) Object.assign(bar, { hidden: false, value: come, max: total });
	});
}

void begin(async () => {
	const backend = await open();
	return () => <App backend={backend} />;
});
