// What the page that plays keeps and listens to, beside the game and the search.
import { useEffect, useState } from "preact/hooks";
import type { Backend, Move, Position } from "../backend/backend";
import { skipped, still } from "../boards/tools";

// animationOf is how long, in milliseconds, the board takes to show how a position came about.
export function animationOf(p: Position): number {
	const stages = p.stages as unknown[] | undefined;
	return stages ? Math.min(6000, stages.length * 190) + 300 : 0;
}

// whenShown calls f once the board has shown how a position came about that it shows since then, or once
// somebody skips that.
export function whenShown(p: Position, since: number, f: () => void) {
	const end = () => {
		clearTimeout(timer);
		removeEventListener(skipped, end);
		f();
	};
	const timer = setTimeout(end, still() ? 0 : Math.max(0, since + 350 + animationOf(p) - performance.now()));
	addEventListener(skipped, end);
}

// useLine plays a line of the search on the board, a move at a time.
export function useLine(backend: Backend, now: Position | undefined, line: Move | undefined) {
	const [shown, show] = useState<{ positions: Position[]; moves: string[]; at: number }>();
	useEffect(() => {
		show(undefined);
		const moves = line?.line?.slice(0, 8);
		if (!now || !moves?.length) return;
		let timer = 0, gone = false;
		backend.follow(now.game, now.position, moves).then((positions) => {
			let at = still() ? moves.length : 1;
			const next = () => {
				if (gone) return;
				show({ positions, moves, at });
				if (at < moves.length) timer = setTimeout(next, 700 + animationOf(positions[at]), at++);
			};
			timer = setTimeout(next, 120); // a pointer that only passes starts nothing
		}, () => {/* the position went away meanwhile */});
		return () => {
			gone = true;
			clearTimeout(timer);
			show(undefined);
		};
	}, [line?.move, now]);
	return line ? shown : undefined;
}

// useKept is a state that is kept for this tab or for all later visits.
export function useKept<T>(where: "sessionStorage" | "localStorage", name: string,
	initial: T): [T, (value: T) => void]
{
	const [value, set] = useState<T>(() => {
		try {
			return JSON.parse(globalThis[where].getItem(name) ?? "null") ?? initial;
		} catch {
			return initial;
		}
	});
	useEffect(() => {
		try {
			globalThis[where].setItem(name, JSON.stringify(value));
		} catch { /* not remembered */ }
	}, [value]);
	return [value, set];
}

export function download(name: string, text: string) {
	const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
	const a = document.createElement("a");
	a.href = url;
	a.download = name;
	a.click();
	URL.revokeObjectURL(url);
}
