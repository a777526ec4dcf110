package enginetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// mistaken is tic-tac-toe with one mistake that the author of a game might make.
type mistaken struct {
	tictactoe.State
	mistake   string
	exchanged bool // whether the players are exchanged: Second began and has x
	passes    int  // number of plies; String omits this field, which is one of the mistakes
}

func (m mistaken) stones() []byte { return []byte(m.State.String()) }

func (m mistaken) ToMove() engine.Player {
	if m.mistake == "the player to move never changes" {
		return engine.First
	}
	return m.mover()
}

func (m mistaken) mover() engine.Player {
	if m.exchanged {
		return 1 - m.State.ToMove()
	}
	return m.State.ToMove()
}

func (m mistaken) Outcome() engine.Outcome {
	o := m.State.Outcome()
	if m.exchanged {
		o = engine.OutcomeOf(-int(o.Value()))
		if m.State.Outcome() == engine.Ongoing {
			o = engine.Ongoing
		}
	}
	switch {
	case m.mistake == "the wrong player wins" && o != engine.Ongoing && o != engine.Draw:
		return engine.WonBy(m.mover())
	case m.mistake == "a draw counts as a win" && o == engine.Draw:
		return engine.SecondWins
	case m.mistake == "one way to win is forgotten" && o == engine.FirstWins && strings.HasPrefix(m.State.String(), "x") &&
		!strings.Contains("xxx xo. x..", m.State.String()[:3]):
		return engine.Ongoing
	}
	return o
}

func (m mistaken) Legal(dst []engine.Action) []engine.Action {
	n := len(dst)
	dst = m.State.Legal(dst)
	switch m.mistake {
	case "an action too few":
		if len(dst) > n+1 {
			dst = dst[:len(dst)-1]
		}
	case "an action too many":
		if s := m.stones(); s[8] == 'x' && m.State.ToMove() == engine.First {
			dst = append(dst, 8)
		}
	}
	return dst
}

func (m mistaken) Play(a engine.Action) mistaken {
	if m.mistake == "a move sets the wrong stone" && a == 4 && m.State.ToMove() == engine.First {
		a = m.State.Legal(nil)[0]
	}
	next := m
	if next.State = m.State.Play(a); m.mistake == "a field that the text leaves out" {
		next.passes++
	}
	return next
}

func (m mistaken) Encode(planes []float32) {
	m.State.Encode(planes)
	for i := range 9 {
		switch {
		case m.mistake == "planes without the other's stones":
			planes[2*i+1] = 0
		case m.mistake == "planes from First's side" && m.mover() == engine.Second:
			planes[2*i], planes[2*i+1] = planes[2*i+1], planes[2*i]
		}
	}
}

func (m mistaken) Features(dst []uint16) []uint16 {
	n := len(dst)
	dst = m.State.Features(dst)
	switch {
	case m.mistake == "features drop a stone" && len(dst) > n && dst[len(dst)-1] == 17:
		dst = dst[:len(dst)-1]
	case m.mistake == "features from First's side" && m.mover() == engine.Second:
		for i, f := range dst[n:] {
			dst[n+i] = (f + 9) % 18
		}
		slices.Sort(dst[n:])
	}
	return dst
}

// Heuristic returns 1 if First owns the stone in the middle, -1 if Second does, and 0 if the middle
// is empty.
func (m mistaken) Heuristic() int {
	h := map[byte]int{'x': 1, 'o': -1}[m.stones()[4]]
	if m.exchanged {
		h = -h
	}
	switch m.mistake {
	case "a heuristic from the mover's side":
		return h * int(m.mover().Sign())
	case "a heuristic of the wrong sign":
		return -h
	}
	return h
}

func (m mistaken) ActionString(a engine.Action) string {
	if m.mistake == "names of two actions exchanged" && a < 2 {
		a = 1 - a
	}
	return m.State.ActionString(a)
}

func mistakenRules(mistake string) engine.Rules[mistaken] {
	t := tictactoe.Rules
	r := engine.Rules[mistaken]{
		Spec: t.Spec, Symmetries: t.Symmetries, FeatureGroups: t.FeatureGroups,
		Start: func(rng *rand.Rand) mistaken { return mistaken{State: t.Start(rng), mistake: mistake} },
		Parse: func(text string) (mistaken, error) {
			s, err := t.Parse(text)
			return mistaken{State: s, mistake: mistake}, err
		},
	}
	if mistake == "a text longer than the game says" {
		r.MaxText = 8
	}
	if mistake == "a symmetry that is none" {
		r.Symmetries = append(r.Symmetries[:1:1], r.Symmetries[0])
		r.Symmetries[1].Actions = t.Symmetries[1].Actions
	}
	return r
}

// checkAll runs all checks that the tests of a game normally run, on tic-tac-toe with the given
// mistake.
func checkAll(mistake string) error {
	r := mistakenRules(mistake)
	images := []func(i int, s mistaken) mistaken{func(i int, s mistaken) mistaken {
		text := make([]byte, 9)
		for cell, stone := range s.stones() {
			text[r.Symmetries[i].Actions[cell]] = stone
		}
		image, _ := tictactoe.Parse(string(text))
		return mistaken{State: image, mistake: mistake}
	}}
	if mistake == "a symmetry that no test knows" {
		images = nil
	}
	return cmp.Or(
		laws(r, images),
		against(r, naiveTicTacToe),
		checkOutcomes(r, map[string]engine.Outcome{"xxxoo....": engine.FirstWins, "oooxx.x..": engine.SecondWins, "xoxxoooxx": engine.Draw, "xoxo.....": engine.Ongoing}),
		swapped(r, func(s mistaken) mistaken {
			s.exchanged = true
			return s
		}),
	)
}

// naiveTicTacToe reads the text of a position and describes the position for Against.
func naiveTicTacToe(position string) (n Naive, err error) {
	stone := byte('x')
	if strings.Count(position, "x") > strings.Count(position, "o") {
		n.ToMove, stone = engine.Second, 'o'
	}
	for _, line := range []string{"012", "345", "678", "036", "147", "258", "048", "246"} {
		switch string([]byte{position[line[0]-'0'], position[line[1]-'0'], position[line[2]-'0']}) {
		case "xxx":
			n.Outcome = engine.FirstWins
			return n, nil
		case "ooo":
			n.Outcome = engine.SecondWins
			return n, nil
		}
	}
	if !strings.Contains(position, ".") {
		n.Outcome = engine.Draw
	}
	n.After = map[string]string{}
	for i := range position {
		if position[i] == '.' {
			n.After[fmt.Sprintf("%c%d", 'a'+i%3, 3-i/3)] = position[:i] + string(stone) + position[i+1:]
		}
	}
	return n, nil
}

// The checks find every mistake except a heuristic with the wrong sign, which no check can detect.
func TestMistakesAreFound(t *testing.T) {
	if err := checkAll("none"); err != nil {
		t.Fatal(err)
	}
	for _, mistake := range []string{
		"the player to move never changes", "an action too many", "an action too few", "a move sets the wrong stone",
		"the wrong player wins", "a draw counts as a win", "one way to win is forgotten", "names of two actions exchanged",
		"planes without the other's stones", "planes from First's side", "features drop a stone", "features from First's side",
		"a heuristic from the mover's side", "a symmetry that is none", "a symmetry that no test knows",
		"a text longer than the game says", "a field that the text leaves out",
	} {
		if err := checkAll(mistake); err == nil {
			t.Errorf("%s: no law is broken", mistake)
		} else {
			t.Logf("%s: %v", mistake, err)
		}
	}
	if err := checkAll("a heuristic of the wrong sign"); err != nil {
		t.Errorf("a heuristic of the wrong sign is found: say so in the guide: %v", err)
	}
}

// If two different states have the same text, the error shows the field in which they differ.
func TestLostFieldIsShown(t *testing.T) {
	if err := checkAll("a field that the text leaves out"); err == nil || !strings.Contains(err.Error(), "passes:0") || !strings.Contains(err.Error(), "passes:1") {
		t.Errorf("a field that the text leaves out: %v, want both states with their passes", err)
	}
}
