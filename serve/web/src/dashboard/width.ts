import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Returns the width of an element, which is updated when the element is resized, and the ref to set
 * on the element.
 */
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
