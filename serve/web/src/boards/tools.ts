// Functions that several boards use.
import { h } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../wire";

/**
 * Returns properties that turn an element of a drawing into a button for mouse, touch and keyboard.
 */
export function button(label: string, act: (() => void) | undefined, focusable = true) {
	if (!act) return { role: "img" as const, "aria-label": label, tabindex: focusable ? -1 : undefined };
	return { role: "button" as const, "aria-label": label, tabindex: 0, onClick: act, onKeyDown: (e: KeyboardEvent) => {
		if (e.key !== "Enter" && e.key !== " ") return;
		e.preventDefault();
		act();
	} };
}

/**
 * Underlines the letter that is a keyboard shortcut. In the text, this letter is between
 * underscores.
 */
export const keyed = (text: string) => text.split("_").map((part, i) => (i % 2 ? h("u", null, part) : part));

/**
 * Handles arrow keys: moves the focus among the elements of a board that have data-at="column,row".
 */
export function arrows(e: KeyboardEvent) {
	const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
	const at = (e.target as Element).getAttribute?.("data-at")?.split(",").map(Number);
	if (!step || !at) return;
	const next = (e.currentTarget as Element).querySelector<SVGElement>(
		`[data-at="${at[0] + step[0]},${at[1] + step[1]}"]`,
	);
	if (!next) return;
	e.preventDefault();
	e.stopPropagation();
	next.focus();
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The event that is sent to window when the user skips an animation. */
export const skipped = "dojo-skipped";

/** Returns the position that this board drew last, if the current position directly follows it. */
export function useBefore(position: Position, previous: Position | undefined): Position | undefined {
	const last = useRef<Position | undefined>(undefined);
	const before = last.current && previous && position.move && last.current.position === previous.position ? previous
		: undefined;
	useEffect(() => {
		last.current = position;
	}, [position]);
	return before;
}

/** Returns the position of a pointer in the coordinates of a drawing. */
export function pointIn(svg: SVGSVGElement, e: { clientX: number; clientY: number }): { x: number; y: number } {
	const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
	const scale = Math.min(box.width / view.width, box.height / view.height);
	return { x: view.x + (e.clientX - box.left - (box.width - view.width * scale) / 2) / scale,
		y: view.y + (e.clientY - box.top - (box.height - view.height * scale) / 2) / scale };
}

/**
 * Follows a pointer from its press to its release. It calls move if the pointer has moved more than
 * a few pixels from its start, and finally calls up. The parameter moved of up is true if move was
 * called.
 */
export function follow(e: PointerEvent, move: (e: PointerEvent) => void,
	up: (e: PointerEvent, moved: boolean) => void)
{
	let moved = false;
	const onMove = (m: PointerEvent) => {
		if (m.pointerId !== e.pointerId) return;
		moved ||= Math.hypot(m.clientX - e.clientX, m.clientY - e.clientY) > 6;
		if (moved) move(m);
	};
	// Prevent scrolling while a finger drags. Otherwise the browser continues to scroll when the
	// finger leaves the screen, and treats a tap in the next half second as a command to stop
	// scrolling.
	const hold = (t: TouchEvent) => {
		if (t.cancelable) t.preventDefault();
	};
	const end = (m: PointerEvent) => {
		if (m.pointerId !== e.pointerId) return;
		removeEventListener("touchmove", hold);
		removeEventListener("pointermove", onMove);
		removeEventListener("pointerup", end);
		removeEventListener("pointercancel", end);
		up(m, moved && m.type === "pointerup");
		if (!moved) return;
		// With a mouse, the browser also sends a click at the end of a drag. Ignore this click, but
		// not a click after the mouse has been pressed again.
		addEventListener("click", swallow, { capture: true, once: true });
		addEventListener("pointerdown", listen, { capture: true, once: true });
		setTimeout(listen, 50);
	};
	const swallow = (c: Event) => {
		c.stopPropagation();
		c.preventDefault();
	};
	const listen = () => removeEventListener("click", swallow, { capture: true });
	if (e.pointerType === "touch") addEventListener("touchmove", hold, { passive: false });
	addEventListener("pointermove", onMove);
	addEventListener("pointerup", end);
	addEventListener("pointercancel", end);
}

const narrowly = matchMedia("(max-width: 640px)");

/** Whether the screen is as narrow as a phone. */
export const isNarrow = () => narrowly.matches;

/** Returns isNarrow(), and redraws the component when the result changes. */
export function useNarrow(): boolean {
	const [narrow, set] = useState(isNarrow);
	useEffect(() => {
		const m = narrowly, changed = () => set(m.matches);
		m.addEventListener("change", changed);
		return () => m.removeEventListener("change", changed);
	}, []);
	return narrow;
}

/**
 * Calls the function that is bound to a key, wherever the focus is, unless the focused element
 * needs the key itself, as a text field does. A list of choices needs only the arrow keys: a bound
 * letter still calls its function there, instead of jumping to an entry that begins with the
 * letter. Keys bound on a board have priority over keys of its page.
 */
export function useKeys(bound: { [key: string]: () => void }, onBoard = true) {
	const latest = useRef(bound);
	latest.current = bound;
	useEffect(() => {
		const pressed = (e: KeyboardEvent) => {
			const at = e.target as Element,
				taken = e.key.startsWith("Arrow") ? "input, textarea, select"
					: "input:not([type=radio], [type=checkbox], [type=range]), textarea";
			if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || at.matches?.(taken)) return;
			const f = latest.current[e.key.length === 1 ? e.key.toLowerCase() : e.key];
			if (f) {
				e.preventDefault();
				f();
			}
		};
		addEventListener("keydown", pressed, onBoard);
		return () => removeEventListener("keydown", pressed, onBoard);
	}, []);
}

const least = 11; // minimum height of text in pixels, whatever the size of the drawing

/**
 * Sets the CSS variable --least of a drawing: the smallest allowed size of text, in the drawing's
 * own units.
 */
export function useLeast(svg: { current: SVGSVGElement | null }) {
	useEffect(() => {
		const drawing = svg.current!;
		const watch = new ResizeObserver(() =>
			drawing.style.setProperty("--least", `${least / (drawing.getScreenCTM()?.a || 1)}px`)
		);
		watch.observe(drawing);
		return () => watch.disconnect();
	}, []);
}

/**
 * Makes elements with data-shift glide to their new places when the board shows another position.
 */
export function useShifts(root: { current: HTMLElement | null }, key: string) {
	const places = useRef(new Map<string, DOMRect>());
	useLayoutEffect(() => {
		const before = places.current, origin = root.current!.getBoundingClientRect(), side = root.current!.scrollLeft;
		places.current = new Map();
		for (const e of root.current!.querySelectorAll<HTMLElement>("[data-shift]")) {
			const box = e.getBoundingClientRect(), old = before.get(e.dataset.shift!);
			const at = new DOMRect(box.x - origin.x + side, box.y - origin.y, box.width, box.height);
			places.current.set(e.dataset.shift!, at);
			if (old && !still() && (old.x !== at.x || old.y !== at.y)) {
				e.animate([{ transform: `translate(${old.x - at.x}px,${old.y - at.y}px)` }, { transform: "none" }], {
					duration: 500,
					easing: "cubic-bezier(.3, .1, .2, 1)",
				});
			}
		}
	}, [key]);
}
