package play

import (
	"fmt"
	"strings"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/internal/bounded"
)

// ReviewTable is a review for people, on lines that fit 80 columns.
type ReviewTable struct {
	width int // of an action's name
	sides map[string]*tally
}

// tally counts what one player did.
type tally struct {
	actions int
	loss    float32
	marks   map[analysis.Mark]int
}

// NewReviewTable returns the table of the review of a game.
func NewReviewTable(g Game) ReviewTable {
	t := ReviewTable{width: len("action"), sides: map[string]*tally{}}
	for i, p := range g.Positions {
		t.sides[p.ToMove().String()] = &tally{marks: map[analysis.Mark]int{}}
		if i < len(g.Actions) {
			t.width = max(t.width, len(p.ActionString(g.Actions[i])))
		}
	}
	return t
}

const reviewLine = "%4v  %-6s  %-*s  %6s  %-2s %6s  "

// Header returns the header of the lines.
func (t ReviewTable) Header() string {
	return fmt.Sprintf(reviewLine, "", "player", t.width, "action", "value", "", "loss") + "better"
}

// Line shows an action, and where it is marked what was better.
func (t ReviewTable) Line(r analysis.Reviewed) string {
	side := t.sides[r.Player]
	side.actions++
	side.loss += r.Loss
	side.marks[r.Mark]++
	loss, better := "", ""
	if r.Mark != "" {
		loss, better = fmt.Sprintf("%.2f", r.Loss), strings.Join(r.Line, ", ")
		if r.Exact {
			loss += "!"
		}
	}
	text := fmt.Sprintf(reviewLine, r.Ply, r.Player, t.width, r.Move, fmt.Sprintf("%+.2f", r.Value), r.Mark, loss)
	return bounded.Fit(text, better)
}

// Summary counts the marks of both players.
func (t ReviewTable) Summary() string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, p := range []engine.Player{engine.First, engine.Second} {
		side := t.sides[p.String()]
		if side == nil || side.actions == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-6s  ?? %d, ? %d, ?! %d in %d actions; mean loss %.3f\n",
			p, side.marks["??"], side.marks["?"], side.marks["?!"], side.actions, side.loss/float32(side.actions))
	}
	return b.String()
}
