// The settings of the page for play. The mode is stored for this tab, all others for all later
// visits.
import type { Player } from "../wire";
import { keep, kept, type Where } from "../kept";
import { levels } from "./levels";

export interface Settings {
	mode: "play" | "analyse";
	seats: { [P in Player]: "person" | "bot" };
	level: number;
	adapt: boolean; // whether the level changes after three wins or losses in a row
	row: number; // games won in a row; negative for games lost
	announce: boolean; // whether mistakes are announced immediately
	models: { [game: string]: string }; // the chosen bot of each game
}

const keyOf = (name: string) => (name === "level" ? "dojo-level-of-ten" : `dojo-${name}`);
const whereOf = (name: string): Where => (name === "mode" ? "sessionStorage" : "localStorage");

/**
 * Returns the settings of earlier visits. In a new tab, a link with a position opens in analysis
 * mode.
 */
export function keptSettings(linked: boolean): Settings {
	const first: Settings = { mode: linked ? "analyse" : "play", seats: { first: "person", second: "bot" }, level: 4,
		adapt: false, row: 0, announce: false, models: {} };
	const all = Object.entries(first).map(([name, value]) => [name, kept<unknown>(keyOf(name), value, whereOf(name))]);
	const settings: Settings = Object.fromEntries(all);
	settings.level = Math.min(Math.max(0, settings.level), levels.length - 1);
	keepSettings(settings);
	return settings;
}

export function keepSettings(changes: Partial<Settings>) {
	for (const [name, value] of Object.entries(changes)) keep(keyOf(name), value, whereOf(name));
}
