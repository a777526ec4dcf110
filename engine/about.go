package engine

import (
	"cmp"
	"regexp"
	"strings"
)

// About is what people read about a game, in one language.
type About struct {
	Title string // as people write the game's name, such as "Connect Four"

	// Text is the rules in Markdown, without the title. What follows a heading "# In detail" is for
	// those who program. Its section "## Text" says how positions and actions are written.
	Text string
}

// ParseAbout returns the title and the rules in a text in Markdown, whose first line is "# " and the title.
func ParseAbout(text string) About {
	title, rest, _ := strings.Cut(text, "\n")
	return About{Title: strings.TrimPrefix(title, "# "), Text: strings.TrimSpace(rest)}
}

// detail separates the two parts of a text.
const detail = "\n# In detail\n"

// numbers are the numbers of sections and paragraphs, which sources cite.
var numbers = regexp.MustCompile(`(?m)^(## |- )([0-9]+\. |\*\*P[0-9]+\*\* )`)

// AboutIn returns what people read about the game in a language, "en" or "vi". A text that the game
// does not state in the language is the English one. A title that it states in no language is the
// part of its name before the options, with a capital.
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

// Titles returns the title in each language.
func (r Rules[S]) Titles() map[string]string {
	return map[string]string{"en": r.AboutIn("en").Title, "vi": r.AboutIn("vi").Title}
}

// ForPlayers returns the title and the part of the rules that players need, or "" if there is no text.
func (a About) ForPlayers() string {
	text, _, _ := strings.Cut("\n"+strings.TrimSpace(a.Text)+"\n", detail)
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "# " + a.Title + "\n\n" + numbers.ReplaceAllString(text, "$1") + "\n"
}

// Section returns the section whose heading begins with a title, without the heading, or "".
func (a About) Section(title string) string {
	for _, s := range strings.Split("\n"+a.Text, "\n## ")[1:] {
		heading, content, _ := strings.Cut(s, "\n")
		if strings.HasPrefix(strings.TrimLeft(heading, "0123456789. "), title) {
			return strings.TrimSpace(content)
		}
	}
	return ""
}
