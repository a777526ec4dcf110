// Two choices of the user: the colours (light or dark, by default as in the system) and the
// language.
import { useState } from "preact/hooks";
import { chooseLanguage, language, languages, say, type Language } from "./words";

type Theme = "light" | "dark";

function initial(): Theme {
	const chosen = read();
	return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

// If storage is disabled, the page cannot remember the choice.
function read(): Theme | null {
	try {
		const theme = localStorage.getItem("dojo-theme");
		return theme === "light" || theme === "dark" ? theme : null;
	} catch {
		return null;
	}
}

// A browser that does not know light-dark() shows only the light colours; see build.mjs.
const dark = CSS.supports("color", "light-dark(#000, #fff)");
const remembered = read();
if (remembered && dark) document.documentElement.dataset.theme = remembered;

export function ThemeButton() {
	const [theme, setTheme] = useState(initial);
	if (!dark) return null;
	const other = theme === "dark" ? "light" : "dark";
	const change = () => {
		document.documentElement.dataset.theme = other;
		try {
			localStorage.setItem("dojo-theme", other);
		} catch { /* not remembered */ }
		setTheme(other);
	};
	const label = other === "dark" ? say("Dark theme") : say("Light theme");
	return <button class="quiet theme" onClick={change} aria-label={label} title={label}>
		{theme === "dark" ? "☀" : "☾"}
	</button>;
}

export function LanguageChoice() {
	return <select id="language" aria-label={say("Language")} value={language()}
		onChange={(e) => void chooseLanguage(e.currentTarget.value as Language)}>
		{Object.entries(languages).map(([id, name]) => <option key={id} value={id} lang={id}>{name}</option>)}
	</select>;
}
