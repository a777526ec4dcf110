// This file draws the pages, and redraws them when the language changes.
import { render, type ComponentChild } from "preact";
import { openLanguage, watchLanguage } from "./words";

const root = document.getElementById("app")!;

function show(page: () => ComponentChild) {
	root.replaceChildren();
	watchLanguage(() => render(page(), root));
	render(page(), root);
}

/** Shows the page that open resolves to, in the reader's language. */
export async function begin(open: () => Promise<() => ComponentChild>) {
	try {
		await openLanguage().catch(() => {/* the pages are there in English */});
		show(await open());
	} catch (e) {
		show(() => <p class="error" role="alert">{(e as Error).message}</p>);
	}
}
