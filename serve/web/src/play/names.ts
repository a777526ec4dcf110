// The server describes models in English. This file translates these descriptions.
import { phrase, say } from "../words";

const phrases: [RegExp, string][] = [
	[/^built-in bot$/, phrase("built-in bot")],
	[/best model$/, phrase("best model")],
	[/candidate of generation (\d+)$/, phrase("candidate of generation {0}")],
	[/generation (\d+)$/, phrase("generation {0}")],
	[/^model (\S+) of the run$/, phrase("model {0} of the run")],
	[/(\d+) channels, (\d+) blocks$/, phrase("{0} channels, {1} blocks")],
	[/(\d+) columns, policy (\d+), value (\d+) and (\d+)$/, phrase("{0} columns, policy {1}, value {2} and {3}")],
];

/** Translates the name or the description of a model to the language of the page. */
export const named = (text: string) =>
	phrases.reduce((t, [from, to]) => t.replace(from, (_, ...numbers) => say(to, ...numbers)), text);
