// Package codingame writes bots for CodinGame, a site where programs play each other. A bot is one
// source file in C++ or Go, with a sparse network in 8 bits and the search of package mcts. Its
// network computes bit for bit the same outputs as model.NewNet8. So after the same number of
// simulations, the bot chooses the same move as dojo, in both languages.
//
// [Bot.Program] writes the file. [Program.Verify] compiles it and compares its rules, outputs and
// chosen moves with dojo's. Verify is not available in the js build, because dojo in a browser only
// plays.
//
// The network and the search are the same for all games. A [Game] adds the rules, the features and
// the referee's protocol. Onitama is included; [Register] adds other games.
package codingame

import (
	"cmp"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"text/template"
	"time"
	"unicode/utf16"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// Limit is the length of the longest source that CodinGame accepts, in UTF-16 code units.
const Limit = 100_000

// Language is the programming language of a bot.
type Language string

// The languages.
const (
	CPP Language = "cpp"
	Go  Language = "go"
)

//go:embed bot.cpp.tmpl
var cppSource string

//go:embed bot.go.tmpl
var goSource string

//go:embed onitama.cpp.txt
var onitamaCPP string

//go:embed onitama.go.txt
var onitamaGo string

// A Bot describes the bot for which a source is written.
type Bot struct {
	Language   Language
	Checkpoint *model.Checkpoint
	Search     mcts.Config   // the bot searches with the constants of this configuration
	Budget     time.Duration // time to think per turn
	Provenance []string      // lines for the comment at the beginning of the source
}

// A Program is a bot whose source can be written, verified and measured.
type Program struct {
	Bot
	Source string

	// Rounded is the network that the source contains. It is Checkpoint, or a copy with coarser
	// weights if the source would otherwise be longer than Limit.
	Rounded *model.Checkpoint
}

// Program writes the source of the bot. It returns an error if Check refuses the checkpoint, or if
// the source is longer than Limit.
func (b Bot) Program() (p Program, err error) {
	if err := Check(b.Checkpoint); err != nil {
		return p, err
	}
	if g := games[b.Checkpoint.Game]; g.part(b.Language) == "" {
		return p, fmt.Errorf("there is no bot for %s in %s: the codingame.Game that was registered with codingame.Register has no source in this language; see section 1 of docs/ADDING_A_GAME.md", g.Title, b.Language)
	}
	const coarsest = 2 // maximum number of bits that coarse sets to zero; each doubles the errors
	for zeros := range coarsest + 1 {
		p = Program{Bot: b}
		if p.Rounded, err = coarse(b.Checkpoint, zeros); err != nil {
			return p, err
		}
		if p.Source, err = p.source(); err != nil || Units(p.Source) <= Limit {
			return p, err
		}
	}
	return p, fmt.Errorf("the source has %d characters, but CodinGame accepts at most %d: model %s (%s) is too large; train a smaller network with dojo distil", Units(p.Source), Limit, b.Checkpoint.Name, b.Checkpoint.Sizes())
}

// source returns the source of the program. It does not check that the source is within Limit.
func (p Program) source() (string, error) {
	w, err := newWeights(p.Rounded)
	if err != nil {
		return "", err
	}
	t, err := template.New("").Delims("⟦", "⟧").Parse(map[Language]string{CPP: cppSource, Go: goSource}[p.Language])
	if err != nil {
		panic(err) // impossible: the templates are part of this program
	}
	// Check has made sure that the network is sparse.
	game, sizes := games[p.Checkpoint.Game], p.Rounded.Body.(model.Sparse)
	start, err := game.Game.Deal(rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return "", err
	}
	_, striker := start.State().(engine.Striker)
	var text strings.Builder
	err = t.Execute(&text, map[string]any{
		"Title": game.Title, "Striker": striker, "Part": game.part(p.Language),
		"Actions": p.Checkpoint.Actions, "Active": game.Game.ActiveFeatures,
		"Provenance": comments(p.Provenance), "Budget": fmt.Sprintf("%g", p.Budget.Seconds()),
		"Weights": w.text, "Shift": w.shift, "Rows": w.rows, "Features": sizes.Features,
		"ActionFeatures": sizes.ActionFeatures,
		"Columns":        sizes.Columns, "Policy": sizes.Policy, "Value": sizes.Value, "Top": sizes.Hidden,
		"CPuct": float(p.Search.CPuct), "CPuctBase": float(p.Search.CPuctBase), "Bounded": p.Search.Final == mcts.LCB, "FPUReduction": float(p.Search.FPUReduction),
		"Temperature": float(cmp.Or(p.Search.PriorTemperature, 1)),
	})
	if Units(text.String()) > Limit {
		return bare(text.String()), err
	}
	return text.String(), err
}

// comments escapes lines so that they are safe inside // comments in C++ and Go. In C++, a
// backslash at the end of a comment would add the next line to the comment, and the trigraph ??/
// means a backslash.
func comments(lines []string) (safe []string) {
	for _, line := range lines {
		safe = append(safe, strings.NewReplacer(`\`, "/", "??", "? ").Replace(bounded.Visible(line)))
	}
	return safe
}

// bare removes indentation, empty lines and most spaces from a source. It keeps only the comments
// at the beginning of the source.
func bare(source string) string {
	var out strings.Builder
	head := true
	for line := range strings.Lines(source) {
		line = strings.TrimLeft(line, "\t")
		if at := strings.LastIndex(line, " // "); at >= 0 && !strings.Contains(line[at:], `"`) {
			line = line[:at] + "\n"
		}
		comment := strings.HasPrefix(line, "//")
		head = head && comment
		if !head && !strings.ContainsAny(line, "\"'`") {
			line = strings.NewReplacer(", ", ",", "; ", ";", " = ", "=").Replace(line)
		}
		if head || !comment && line != "\n" {
			out.WriteString(line)
		}
	}
	return out.String()
}

// float formats a constant for C++ and Go, with a decimal point.
func float(x float32) string {
	s := fmt.Sprint(x)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// Units returns the length of a text as CodinGame counts it, in UTF-16 code units.
func Units(text string) int { return len(utf16.Encode([]rune(text))) }
