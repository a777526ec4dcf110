// Package codingame writes bots for CodinGame, a site where programs play each other. A
// bot is one source file, in C++ or Go, with a sparse network in 8 bits and the search of
// package mcts. Its outputs are those of model.NewNet8 bit for bit, so that for the same number
// of simulations both languages choose the move that this program chooses. [Bot.Program]
// writes the file, and [Program.Verify] compiles it and compares rules, outputs and chosen moves
// with those of this program. On js, where a page only plays, nothing is compiled or verified.
//
// The network and the search are the same for all games. A [Game] adds its rules, features
// and the referee's protocol; Onitama is there, and [Register] adds others.
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

// Limit is the largest length of a program that CodinGame accepts, in UTF-16 units.
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

// A Bot is what a program is made of.
type Bot struct {
	Language   Language
	Checkpoint *model.Checkpoint
	Search     mcts.Config   // its constants
	Budget     time.Duration // to think in each turn
	Provenance []string      // lines that become a comment at the program's head
}

// A Program is the source of a bot.
type Program struct {
	Bot
	Source string

	// Rounded is the network of the program: Checkpoint, or that with coarser weights if the
	// program would be longer than Limit otherwise.
	Rounded *model.Checkpoint
}

// Program writes the bot's program. A checkpoint that Check refuses is an error, and so is a
// program longer than Limit.
func (b Bot) Program() (p Program, err error) {
	if err := Check(b.Checkpoint); err != nil {
		return p, err
	}
	if g := games[b.Checkpoint.Game]; g.part(b.Language) == "" {
		return p, fmt.Errorf("there is no bot of %s in %s: the codingame.Game that codingame.Register was given lacks it, see section 1 of docs/ADDING_A_GAME.md", g.Title, b.Language)
	}
	const coarsest = 2 // each bit less costs value and policy twice the error
	for zeros := range coarsest + 1 {
		p = Program{Bot: b}
		if p.Rounded, err = coarse(b.Checkpoint, zeros); err != nil {
			return p, err
		}
		if p.Source, err = p.source(); err != nil || Units(p.Source) <= Limit {
			return p, err
		}
	}
	return p, fmt.Errorf("the program has %d characters, CodinGame takes %d: model %s (%s) is too large; dojo distil makes a smaller one", Units(p.Source), Limit, b.Checkpoint.Name, b.Checkpoint.Sizes())
}

// source returns the text of the program.
func (p Program) source() (string, error) {
	w, err := newWeights(p.Rounded)
	if err != nil {
		return "", err
	}
	t, err := template.New("").Delims("⟦", "⟧").Parse(map[Language]string{CPP: cppSource, Go: goSource}[p.Language])
	if err != nil {
		panic(err) // the templates are part of this program
	}
	game, sizes := games[p.Checkpoint.Game], p.Rounded.Body.(model.Sparse) // see Check
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

// comments makes lines fit for comments of C++ and Go, and for nothing else. In C++ a backslash
// at the end of a line joins it with the next one, and ??/ stands for a backslash.
func comments(lines []string) (safe []string) {
	for _, line := range lines {
		safe = append(safe, strings.NewReplacer(`\`, "/", "??", "? ").Replace(bounded.Visible(line)))
	}
	return safe
}

// bare is a source without indentation, empty lines, the comments behind its head and many
// blanks.
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

// float writes a constant as C++ and Go read it, with a decimal point.
func float(x float32) string {
	s := fmt.Sprint(x)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// Units is the length of a text as CodinGame counts it.
func Units(text string) int { return len(utf16.Encode([]rune(text))) }
