package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// A won game has the value +1 for the winner.
func TestOutcomes(t *testing.T) {
	for _, p := range []engine.Player{engine.First, engine.Second} {
		if got := engine.WonBy(p).Value() * p.Sign(); got != 1 {
			t.Errorf("a game won by %v is worth %v to that player, want 1", p, got)
		}
		if got, want := engine.WonBy(p).String(), p.String(); got != want {
			t.Errorf("WonBy(%v) is called %q, want %q", p, got, want)
		}
	}
	for _, o := range []engine.Outcome{engine.Ongoing, engine.Draw} {
		if o.Value() != 0 {
			t.Errorf("%v is worth %v, want 0", o, o.Value())
		}
	}
	var zero engine.Outcome
	if zero != engine.Ongoing {
		t.Errorf("the zero outcome is %v, want ongoing", zero)
	}
}

func TestParseAction(t *testing.T) {
	p := engine.Forget(tictactoe.State{})
	for _, a := range p.Legal(nil) {
		if got, err := engine.ParseAction(p, p.ActionString(a)); got != a || err != nil {
			t.Errorf("ParseAction(%q) = %d, %v, want %d", p.ActionString(a), got, err, a)
		}
	}
	for _, text := range []string{"", "d1", "A1", " a1"} {
		if a, err := engine.ParseAction(p, text); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("ParseAction(%q) = %d, %v, want an error that names it", text, a, err)
		}
	}
}

// A Position behaves like the state that it holds.
func TestForget(t *testing.T) {
	g := tictactoe.Rules.Game()
	p, s := g.Start(nil), tictactoe.State{}
	for ply := 0; ; ply++ {
		if p.State() != any(s) || p.String() != s.String() || p.ToMove() != s.ToMove() || p.Outcome() != s.Outcome() {
			t.Fatalf("ply %d: position %v is not state %v", ply, p, s)
		}
		if read, err := g.Parse(s.String()); err != nil || read != p {
			t.Fatalf("ply %d: %v is read as %v, %v", ply, s, read, err)
		}
		if s.Outcome() != engine.Ongoing {
			break
		}
		a := s.Legal(nil)[0]
		p, s = p.Play(a), s.Play(a)
	}
	if p, err := g.Parse("?"); err == nil || p != nil {
		t.Errorf("Parse(?) = %v, %v", p, err)
	}
}

func TestShape(t *testing.T) {
	s := engine.Shape{C: 20, H: 5, W: 4}
	if s.Size() != 400 || s.Cells() != 20 {
		t.Errorf("%+v has %d elements and %d cells, want 400 and 20", s, s.Size(), s.Cells())
	}
}

// Perft allocates memory only once, whatever the depth.
func TestPerftAllocates(t *testing.T) {
	for _, depth := range []int{1, 5} {
		n := testing.AllocsPerRun(10, func() { engine.Perft(tictactoe.State{}, depth) })
		if n > 1 {
			t.Errorf("Perft(%d) makes %v allocations, want one", depth, n)
		}
	}
}

func ExampleParseAction() {
	p := tictactoe.Rules.Game().Start(nil)
	a, err := engine.ParseAction(p, "b2")
	fmt.Println(a, err)
	fmt.Println(p.Play(a))
	_, err = engine.ParseAction(p, "z9")
	fmt.Println(err)
	// Output:
	// 4 <nil>
	// ....x....
	// "z9" is not a legal action in "........."
}

func ExamplePerft() {
	fmt.Println(engine.Perft(tictactoe.State{}, 3))
	// Output: 504
}

// In JSON, an outcome is a word. Unknown words are errors.
func TestOutcomeInJSON(t *testing.T) {
	all := []engine.Outcome{engine.Ongoing, engine.FirstWins, engine.SecondWins, engine.Draw}
	text, err := json.Marshal(all)
	if want := `["ongoing","first","second","draw"]`; err != nil || string(text) != want {
		t.Errorf("outcomes are written %s, %v; want %s", text, err, want)
	}
	var got []engine.Outcome
	if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, all) {
		t.Errorf("and read as %v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`["lost"]`), &got); err == nil || !strings.Contains(err.Error(), `"lost"`) {
		t.Errorf("another word gives %v", err)
	}
}
