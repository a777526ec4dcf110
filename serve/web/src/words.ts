// The language of the pages. Texts stand in the sources in English, as arguments of say,
// many and phrase; vi.json has each of them in Vietnamese, and is loaded if it is
// wanted. A test sees to it that the file has what the sources say, and no more.

import { keyOf } from "./key";

export type Language = "en" | "vi";

export const languages: { [L in Language]: string } = { en: "English", vi: "Tiếng Việt" };

let now: Language = "en";
let dictionary: { [key: string]: string } = {};
let changed = () => {};

/** The language of the pages. */
export const language = () => now;

/** A text in the language of the pages, as are the numbers among the arguments, for which {0}, {1} stand. */
export function say(text: string, ...args: (string | number)[]): string {
	return (dictionary[keyOf(text)] ?? text).replace(/\{(\d)\}/g, (_, n) => {
		const arg = args[Number(n)];
		return typeof arg === "number" ? number(arg) : arg;
	});
}

/** A text about a number of things, which is {0}: one, or more. Dictionaries have the second. */
export function many(n: number, one: string, more: string, ...args: (string | number)[]): string {
	return say(n === 1 && now === "en" ? one : more, n, ...args);
}

/** Marks a text of a table in the sources, that is shown by say elsewhere. */
export const phrase = (text: string) => text;

/** A number in the language of the pages: with the given number of digits after the point, else with up to three. */
export function number(x: number, digits?: number): string {
	return x.toLocaleString(now, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** When something was, by the clock and calendar of the reader. */
export const moment = (time: string) => new Date(time).toLocaleString(now);

const known = (name: string | null | undefined) => (name && name in languages ? (name as Language) : undefined);

/** Opens the pages in the language that was chosen before, else in the first known one that the browser asks for. */
export function openLanguage(): Promise<void> {
	let chosen: string | null = null;
	try {
		chosen = localStorage.getItem("dojo-language");
	} catch { /* nothing is remembered */ }
	return use(known(chosen) ?? navigator.languages.map((l) => known(l.split("-")[0])).find(Boolean) ?? "en");
}

/** Changes the language, for later visits too. */
export async function chooseLanguage(l: Language) {
	await use(l);
	try {
		localStorage.setItem("dojo-language", l);
	} catch { /* not remembered */ }
	changed();
}

/** Calls a function whenever the language has changed. */
export const watchLanguage = (f: () => void) => {
	changed = f;
};

async function use(l: Language) {
	if (l !== "en") {
		const inside = document.getElementById(`words-${l}`); // in a file that "dojo report" wrote
		dictionary = inside ? JSON.parse(inside.textContent!) : await (await fetch(`${l}.json`)).json();
	} else dictionary = {};
	document.documentElement.lang = now = l;
}
