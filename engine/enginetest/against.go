package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"dojo.example/engine"
)

// Naive describes a position as a second, slow implementation of the game sees it.
type Naive struct {
	ToMove  engine.Player
	Outcome engine.Outcome

	// After maps the name of each legal action to the text of the position after that action. If
	// the game is over, Against ignores it.
	After map[string]string
}

// Against plays random games and compares the rules with a second implementation in every position.
// The function naive takes the text that State.String returns for a position, and returns the Naive
// of that position. Against finds mistakes that [Run] cannot detect: a missing or illegal action,
// the wrong player to move, the wrong winner, a draw that the rules forget. Write naive from the
// text of the rules, as plainly as possible: use an array of cells and loops over it.
func Against[S engine.State[S]](t *testing.T, r engine.Rules[S], naive func(position string) (Naive, error)) {
	t.Helper()
	report(t, r.Name, against(r, naive))
}

func against[S engine.State[S]](r engine.Rules[S], naive func(position string) (Naive, error)) error {
	return randomly(r.Game(), games, func(p engine.Position) error {
		n, err := naive(p.String())
		if err != nil {
			return fmt.Errorf("the naive rules cannot parse the position: %w", err)
		}
		return agree(p, n)
	})
}

// agree returns an error if p differs from n, the description of p by the naive implementation.
func agree(p engine.Position, n Naive) error {
	if p.Outcome() != n.Outcome {
		return fmt.Errorf("the outcome is %v, but %v by the naive rules", p.Outcome(), n.Outcome)
	}
	if p.Outcome() != engine.Ongoing {
		return nil
	}
	if p.ToMove() != n.ToMove {
		return fmt.Errorf("%v is to move, but %v by the naive rules", p.ToMove(), n.ToMove)
	}
	after := map[string]string{}
	for _, a := range p.Legal(nil) {
		after[p.ActionString(a)] = p.Play(a).String()
	}
	for _, name := range slices.Sorted(maps.Keys(n.After)) {
		if _, ok := after[name]; !ok {
			return fmt.Errorf("action %s is legal by the naive rules, but Legal does not return it", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch want, ok := n.After[name]; {
		case !ok:
			return fmt.Errorf("method Legal returns action %s, which is illegal by the naive rules", name)
		case want != after[name]:
			return fmt.Errorf("action %s leads to %s, but to %s by the naive rules", name, after[name], want)
		}
	}
	return nil
}

// Outcomes checks the outcomes of hand-written positions. It maps the text of each position to the
// expected outcome; engine.Ongoing means that the game is not over. Include at least one position
// for each way to win, for each player, and for each kind of draw: random games rarely reach all of
// them.
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
