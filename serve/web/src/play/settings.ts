// What the page that plays keeps for this tab (the mode) or for all later visits.
import type { Player } from "../wire";
import { keep, kept, type Where } from "../kept";
import { levels } from "./levels";

export interface Settings {
	mode: "play" | "analyse";
	seats: { [P in Player]: "person" | "bot" };
	level: number;
	adapt: boolean; // the level changes after three wins or losses
	row: number; // games won in a row; negative: lost
	announce: boolean; // mistakes are told at once
	models: { [game: string]: string }; // the bot of each game
}

const keyOf = (name: string) => (name === "level" ? "dojo-level-of-ten" : `dojo-${name}`);
const whereOf = (name: string): Where => (name === "mode" ? "sessionStorage" : "localStorage");

/** The settings of earlier visits. Without any a link, which has a position, opens for analysis. */
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
