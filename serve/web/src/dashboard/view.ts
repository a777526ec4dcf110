// The view of the dashboard: all choices of the user. The address contains the whole view, so that
// a link shows the same view to others:
// #runs?axis=games&smooth=60&log=x&zoom=2:9&show=a&show=b&point=a/12.
import { useEffect, useState } from "preact/hooks";
import { axes, type Axis } from "./metrics";

export interface View {
	game?: string;
	run?: string; // the dashboard shows the runs of this run's game
	axis: Axis;
	// smooth is the weight of earlier values in a smoothed value, in per cent, from 0 to 95.
	smooth: number;
	log: string; // axes that are logarithmic: "", "x", "y" or "xy"
	zoom?: [number, number]; // visible range of the horizontal axis
	// show has the ids of the runs in the charts. If it is missing, the charts show as many runs as
	// there are colours.
	show?: string[];
	sort: string; // column of the table of runs; with "-", the largest come first
	point?: { run: string; generation: number };
	more: boolean; // whether all charts are shown
}

function read(): View {
	const query = new URLSearchParams(location.hash.split("?", 2)[1]);
	const zoom = query.get("zoom")?.split(":").map(Number);
	const [, run, generation] = /^(.*)\/(\d+)$/.exec(query.get("point") ?? "") ?? [];
	return { game: query.get("game") ?? undefined, run: query.get("run") ?? undefined,
		axis: axes.find((a) => a.id === query.get("axis")) ?? axes[0],
		smooth: Math.max(0, Math.min(95, Number(query.get("smooth")) || 0)), log: query.get("log") ?? "",
		zoom: zoom && zoom.length === 2 && zoom[0] < zoom[1] ? [zoom[0], zoom[1]] : undefined,
		show: query.has("show") ? query.getAll("show").filter((r) => r !== "") : undefined, sort: query.get("sort") ?? "",
		point: run ? { run, generation: Number(generation) } : undefined, more: query.has("more") };
}

function write(v: View): string {
	const q = new URLSearchParams();
	const put = (key: string, value: string | undefined | false) => value && q.set(key, value);
	put("game", v.game);
	put("run", v.run);
	put("axis", v.axis !== axes[0] && v.axis.id);
	put("smooth", v.smooth > 0 && String(v.smooth));
	put("log", v.log);
	put("zoom", v.zoom?.map((x) => +x.toPrecision(5)).join(":"));
	for (const r of v.show?.length === 0 ? [""] : (v.show ?? [])) q.append("show", r);
	put("sort", v.sort);
	put("point", v.point && `${v.point.run}/${v.point.generation}`);
	put("more", v.more && "1");
	return `#runs${q.size ? `?${q}` : ""}`;
}

/**
 * Returns the view that the address encodes, and a function that changes the view. Changes add no
 * entries to the browser's history.
 */
export function useView(): [View, (changes: Partial<View>) => void] {
	const [view, setView] = useState(read);
	useEffect(() => {
		const moved = () => setView(read());
		addEventListener("hashchange", moved);
		return () => removeEventListener("hashchange", moved);
	}, []);
	return [view, (changes) => {
		const next = { ...read(), ...changes };
		history.replaceState(null, "", write(next));
		setView(next);
	}];
}
