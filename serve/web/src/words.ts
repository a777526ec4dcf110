// The language of the pages. The sources contain the texts in English, as arguments of say, many
// and phrase. The file vi.json contains the Vietnamese translation of each text, and the pages load
// it when needed. A test checks that the file has exactly the texts of the sources.

import { keyOf } from "./key";

export type Language = "en" | "vi";

export const languages: { [L in Language]: string } = { en: "English", vi: "Tiếng Việt" };

let now: Language = "en";
let dictionary: { [key: string]: string } = {};
let changed = () => {};

/** Returns the language of the pages. */
export const language = () => now;

/**
 * Returns a text in the language of the pages. {0}, {1} and so on are replaced by the arguments.
 * Numbers are formatted for the language.
 */
export function say(text: string, ...args: (string | number)[]): string {
	return (dictionary[keyOf(text)] ?? text).replace(/\{(\d)\}/g, (_, n) => {
		const arg = args[Number(n)];
		return typeof arg === "number" ? number(arg) : arg;
	});
}

/**
 * Returns a text about n things; {0} in the text stands for n. In English, the parameter one is the
 * text for a single thing, and more is the text for any other number. Dictionaries translate only
 * the second text.
 */
export function many(n: number, one: string, more: string, ...args: (string | number)[]): string {
	return say(n === 1 && now === "en" ? one : more, n, ...args);
}

/**
 * Marks a text in a table as a text to translate. The function say translates it when it is shown.
 */
export const phrase = (text: string) => text;

/**
 * Formats a number in the language of the pages, with the given number of digits after the decimal
 * point, or up to three by default.
 */
export function number(x: number, digits?: number): string {
	return x.toLocaleString(now, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Formats a time as the reader's local date and time. */
export const moment = (time: string) => new Date(time).toLocaleString(now);

const known = (name: string | null | undefined) => (name && name in languages ? (name as Language) : undefined);

/**
 * Opens the pages in the language that was chosen before, or in the first known language that the
 * browser requests.
 */
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
		// Only a page that "dojo report" wrote contains the dictionary.
		const inside = document.getElementById(`words-${l}`);
		dictionary = inside ? JSON.parse(inside.textContent!) : await (await fetch(`${l}.json`)).json();
	} else dictionary = {};
	document.documentElement.lang = now = l;
}
