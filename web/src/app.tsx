// The shell: opens the back end, shows the navigation and the page that the part of
// the address behind # names, such as #play?game=onitama.
import { render, type ComponentChild, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Site } from "./backend/backend";
import { Report } from "./dashboard/report";
import { LanguageChoice, ThemeButton } from "./theme";
import { openLanguage, phrase, say, watchLanguage } from "./words";

/** What a page is given: the back end, and what stands behind ? in the address. */
interface PageProps {
  backend: Backend;
  query: URLSearchParams;
}

type Load = () => Promise<{ default: ComponentType<PageProps> }>;

// A page is shown if site.json names it, and without a title only where others lead to it. Each is a file of its own, loaded when opened.
const pages: Record<string, { title?: string; load: Load }> = {
  runs: { title: phrase("Runs"), load: () => import("./pages/runs") },
  games: { title: phrase("Games"), load: () => import("./pages/games") },
  play: { title: phrase("Play"), load: () => import("./pages/play") },
  learn: { title: phrase("Learn"), load: () => import("./pages/learn") },
  watch: { load: () => import("./pages/watch") },
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
  const run = at.page !== "play" && at.query.get("run"); // whose best is the bot to play with
  const left = useRef<Record<string, string>>({}); // the address of each page when it was left, with the game in progress
  useEffect(() => {
    const moved = ({ oldURL }: HashChangeEvent) => {
      const { hash } = new URL(oldURL);
      left.current[address(hash).page] = hash;
      setAt(address());
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => {
    setError("");
    pages[name].load().then(({ default: Page }) => setShown({ name, Page }), (e) => setError(String(e)));
  }, [name]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>{say("Skip to the page")}</a>
      <header>
        <span class="brand">dojo</span>
        {names.length > 1 && (
          <nav aria-label={say("Pages")}>
            {names.filter((n) => pages[n].title).map((n) => <a key={n} href={(n !== name && left.current[n]) || (n === "play" && run ? `#play?${new URLSearchParams({ run })}` : `#${n}`)} aria-current={n === name ? "page" : undefined}>{say(pages[n].title!)}</a>)}
          </nav>
        )}
        <LanguageChoice />
        <ThemeButton />
      </header>
      <main id="main" tabindex={-1}>
        {error ? <p class="error" role="alert">{error}</p> : shown?.name === name ? <shown.Page backend={backend} query={at.query} /> : <p class="loading" role="status">{say("Loading …")}</p>}
      </main>
      {backend.site.provenance && <footer>{backend.site.provenance.join("; ")}</footer>}
    </>
  );
}

/** Opens the back end that site.json names. */
async function open(): Promise<Backend> {
  const response = await fetch("site.json");
  if (!response.ok) throw new Error(`site.json: ${response.status} ${response.statusText}`);
  const site = (await response.json()) as Site;
  if (site.backend === "server") return (await import("./backend/server")).open(site);
  return (await import("./backend/worker")).open(site, (come, total) => {
    const bar = root.querySelector("progress");
    if (bar) Object.assign(bar, { hidden: false, value: come, max: total });
  });
}

const root = document.getElementById("app")!;
const report = document.getElementById("report"); // in a file that "dojo report" wrote

// Draws the pages now, and again when the language has changed.
function show(page: () => ComponentChild) {
  root.replaceChildren();
  watchLanguage(() => render(page(), root));
  render(page(), root);
}

openLanguage().catch(() => { /* the pages are there in English */ }).then(async () => {
  if (report) return show(() => <Report {...JSON.parse(report.textContent!)} />);
  const backend = await open();
  show(() => <App backend={backend} />);
}).catch((e: Error) => show(() => <p class="error" role="alert">{e.message}</p>));
