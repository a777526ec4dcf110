import { useEffect, useRef, useState } from "preact/hooks";

/** The width of an element, as it becomes larger and smaller, and what the element is given as its ref. */
export function useWidth() {
	const box = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(600);
	useEffect(() => {
		const watch = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(160, contentRect.width)));
		watch.observe(box.current!);
		return () => watch.disconnect();
	}, []);
	return [box, width] as const;
}
