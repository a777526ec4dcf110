// Light or dark: as the system has it, or as chosen here before.
import { useState } from "preact/hooks";

type Theme = "light" | "dark";

function initial(): Theme {
  const chosen = read();
  return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

// Storage may be forbidden; then nothing is remembered.
function read(): Theme | null {
  try {
    const theme = localStorage.getItem("dojo-theme");
    return theme === "light" || theme === "dark" ? theme : null;
  } catch {
    return null;
  }
}

const remembered = read();
if (remembered) document.documentElement.dataset.theme = remembered;

export function ThemeButton() {
  const [theme, setTheme] = useState(initial);
  const other = theme === "dark" ? "light" : "dark";
  const change = () => {
    document.documentElement.dataset.theme = other;
    try { localStorage.setItem("dojo-theme", other); } catch { /* not remembered */ }
    setTheme(other);
  };
  return <button class="quiet theme" onClick={change} aria-label={`Use the ${other} colours`} title={`Use the ${other} colours`}>{theme === "dark" ? "☀" : "☾"}</button>;
}
