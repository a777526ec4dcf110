package engine

import (
	"cmp"
	"regexp"
	"strings"
)

// About is a description of a game for players, in one language.
type About struct {
	Title string // the game's display name, such as "Connect Four"

	// Text is the rules in Markdown, without the title. Anything after the heading "# In detail" is
	// for programmers. In that part, the section "## Text" describes the notation of positions and
	// actions.
	Text string
}

// ParseAbout splits a Markdown text into the title and the rules. The first line must be "# "
// followed by the title.
func ParseAbout(text string) About {
	title, rest, _ := strings.Cut(text, "\n")
	return About{Title: strings.TrimPrefix(title, "# "), Text: strings.TrimSpace(rest)}
}

// detail is the heading between the rules for players and the details for programmers.
const detail = "\n# In detail\n"

// numbers matches the number of a section ("## 1. ") or of a paragraph ("- **P1** "). Other texts
// cite these numbers, but players do not need them.
var numbers = regexp.MustCompile(`(?m)^(## |- )([0-9]+\. |\*\*P[0-9]+\*\* )`)

// AboutIn returns the description of the game in a language, "en" or "vi". Where the Vietnamese
// title or text is missing, AboutIn uses the English one. If both titles are missing, the title is
// the game's name, capitalized and without options.
func (r Rules[S]) AboutIn(language string) About {
	a := r.English
	if language == "vi" {
		a.Title, a.Text = cmp.Or(r.Vietnamese.Title, a.Title), cmp.Or(r.Vietnamese.Text, a.Text)
	}
	if base, _, _ := strings.Cut(r.Name, ":"); a.Title == "" && base != "" {
		a.Title = strings.ToUpper(base[:1]) + base[1:]
	}
	return a
}

// Titles returns the game's title in each language, with the keys "en" and "vi".
func (r Rules[S]) Titles() map[string]string {
	return map[string]string{"en": r.AboutIn("en").Title, "vi": r.AboutIn("vi").Title}
}

// ForPlayers returns the title and the rules for players as Markdown, without the details for
// programmers and without section numbers. It returns "" if there is no text.
func (a About) ForPlayers() string {
	text, _, _ := strings.Cut("\n"+strings.TrimSpace(a.Text)+"\n", detail)
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "# " + a.Title + "\n\n" + numbers.ReplaceAllString(text, "$1") + "\n"
}

// Section returns the content of the first section whose heading begins with title, without the
// heading. It ignores the number in a heading. It returns "" if there is no such section.
func (a About) Section(title string) string {
	for _, s := range strings.Split("\n"+a.Text, "\n## ")[1:] {
		heading, content, _ := strings.Cut(s, "\n")
		if strings.HasPrefix(strings.TrimLeft(heading, "0123456789. "), title) {
			return strings.TrimSpace(content)
		}
	}
	return ""
}
