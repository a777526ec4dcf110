// Browser features that the pages with a game use, apart from drawing.
import { useEffect, useState } from "preact/hooks";
import { skipped, still } from "../boards/tools";
import { animationOf, type Outside } from "./outside";

/**
 * Returns a controller that lives as long as its component. Each change of the controller redraws
 * the component.
 */
export function useController<T extends { close(): void }>(make: (changed: () => void) => T): T {
	const [, draw] = useState(0);
	const [controller] = useState(() => make(() => draw((n) => n + 1)));
	useEffect(() => () => controller.close(), []);
	return controller;
}

export const browser: Outside = { now: () => performance.now(), still, whenShown(p, since, f) {
	const end = () => {
		clearTimeout(timer);
		removeEventListener(skipped, end);
		f();
	};
	const timer = setTimeout(end, still() ? 0 : Math.max(0, since + 350 + animationOf(p) - performance.now()));
	addEventListener(skipped, end);
}, address(link) {
	try {
		history.replaceState(null, "", link);
	} catch { /* Safari allows 100 in 30 seconds: the next one is right again */ }
}, busy: () => void (document.body.dataset.state = "busy") };

/** Saves a text as a file. */
export function download(name: string, text: string) {
	const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
	const a = document.createElement("a");
	a.href = url;
	a.download = name;
	a.click();
	URL.revokeObjectURL(url);
}
