// The settings of the page for playing. The browser stores the mode for this tab only, and all
// other settings for later visits.
import type { Player } from "../wire";
import { keep, kept, type Where } from "../kept";
import { levels } from "./levels";

export interface Settings {
	mode: "play" | "analyse";
	seats: { [P in Player]: "person" | "bot" };
	level: number;
	adapt: boolean; // whether three wins or losses in a row change the level
	row: number; // number of games won in a row, or minus the number lost in a row
	announce: boolean; // whether the page reports mistakes immediately
	models: { [game: string]: string }; // the bot that the user has chosen for each game
}

const keyOf = (name: string) => (name === "level" ? "dojo-level-of-ten" : `dojo-${name}`);
const whereOf = (name: string): Where => (name === "mode" ? "sessionStorage" : "localStorage");

/**
 * Returns the settings from earlier visits. In a new tab, a link to a position opens in analysis
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
