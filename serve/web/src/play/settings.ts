// What the page that plays keeps for this tab (the mode) or for all later visits.
import type { Player } from "../backend/backend";
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

const names: { [K in keyof Settings]: string } = { mode: "dojo-mode", seats: "dojo-seats", level: "dojo-level-of-ten",
	adapt: "dojo-adapt", row: "dojo-row", announce: "dojo-announce", models: "dojo-models" };

const storageOf = (name: keyof Settings) => (name === "mode" ? sessionStorage : localStorage);

/** The settings of earlier visits. Without any a link, which has a position, opens for analysis. */
export function keptSettings(linked: boolean): Settings {
	const settings: Settings = { mode: linked ? "analyse" : "play", seats: { first: "person", second: "bot" }, level: 4,
		adapt: false, row: 0, announce: false, models: {} };
	for (const name of Object.keys(names) as (keyof Settings)[]) {
		try {
			Object.assign(settings, { [name]: JSON.parse(storageOf(name).getItem(names[name]) ?? "null") ?? settings[name] });
		} catch { /* storage is forbidden, or holds something else */ }
	}
	settings.level = Math.min(Math.max(0, settings.level), levels.length - 1);
	keepSettings(settings);
	return settings;
}

export function keepSettings(changes: Partial<Settings>) {
	for (const [name, value] of Object.entries(changes) as [keyof Settings, unknown][]) {
		try {
			storageOf(name).setItem(names[name], JSON.stringify(value));
		} catch { /* not remembered */ }
	}
}
