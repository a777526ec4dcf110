package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"dojo.example/engine"
)

// Naive is what a second, slow implementation of a game says of a position.
type Naive struct {
	ToMove  engine.Player
	Outcome engine.Outcome
	After   map[string]string // each legal action's name and the position after it; not asked for if the game is over
}

// Against compares the rules with a second implementation in every position of random games.
// naive reads a position in the notation of the rules and writes those after it so. It finds
// what no law can see: an action too many or too few, a player to move who is not, the wrong
// winner, a forgotten draw. Write it from the text of the rules, as plainly as possible: cells
// in an array and loops over them.
func Against[S engine.State[S]](t *testing.T, r engine.Rules[S], naive func(position string) (Naive, error)) {
	t.Helper()
	report(t, r.Name, against(r, naive))
}

func against[S engine.State[S]](r engine.Rules[S], naive func(position string) (Naive, error)) error {
	return randomly(r.Game(), games, func(p engine.Position) error {
		n, err := naive(p.String())
		if err != nil {
			return fmt.Errorf("the naive rules cannot read it: %w", err)
		}
		return agree(p, n)
	})
}

// agree compares a position with what the naive rules say of it.
func agree(p engine.Position, n Naive) error {
	if p.Outcome() != n.Outcome {
		return fmt.Errorf("its outcome is %v, and %v by the naive rules", p.Outcome(), n.Outcome)
	}
	if p.Outcome() != engine.Ongoing {
		return nil
	}
	if p.ToMove() != n.ToMove {
		return fmt.Errorf("%v is to move, and %v by the naive rules", p.ToMove(), n.ToMove)
	}
	after := map[string]string{}
	for _, a := range p.Legal(nil) {
		after[p.ActionString(a)] = p.Play(a).String()
	}
	for _, name := range slices.Sorted(maps.Keys(n.After)) {
		if _, ok := after[name]; !ok {
			return fmt.Errorf("%s is legal by the naive rules alone", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch want, ok := n.After[name]; {
		case !ok:
			return fmt.Errorf("%s is not legal by the naive rules", name)
		case want != after[name]:
			return fmt.Errorf("%s leads to %s, and to %s by the naive rules", name, after[name], want)
		}
	}
	return nil
}

// Outcomes checks who has won in positions that are written by hand; engine.Ongoing says that
// the game goes on. Have at least one for each way to win, for each player, and for each kind
// of draw: random games seldom reach them all.
func Outcomes[S engine.State[S]](t *testing.T, r engine.Rules[S], outcomes map[string]engine.Outcome) {
	t.Helper()
	report(t, r.Name, checkOutcomes(r, outcomes))
}

func checkOutcomes[S engine.State[S]](r engine.Rules[S], outcomes map[string]engine.Outcome) error {
	for _, text := range slices.Sorted(maps.Keys(outcomes)) {
		s, err := r.Parse(text)
		if err != nil {
			return err
		}
		if s.Outcome() != outcomes[text] {
			return fmt.Errorf("%s: the outcome is %v, want %v", s, s.Outcome(), outcomes[text])
		}
	}
	return nil
}
