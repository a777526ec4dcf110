package solve

import (
	"context"
	"sync"

	"dojo/engine"
)

// Blunder finds the last position of a game in which the loser's action is proven to lose
// and another action is not. The action played[i] was played in path[i]. The prover's
// bound limits what it proves.
func (p *Prover[S]) Blunder(path []S, played []engine.Action, loser engine.Player) (l Line, ok bool) {
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i]
		if s.ToMove() != loser {
			continue
		}
		if p.action(s, played[i])[0] != 'L' {
			return l, false
		}
		if l = p.holding(s); l.matters {
			l.Played = s.ActionString(played[i])
			return l, true
		}
	}
	return l, false
}

// held is the value of an action about which nothing is proven.
const held = "H"

// action returns the value of an action, searched on its own.
func (p *Prover[S]) action(s S, a engine.Action) string {
	next := s.Play(a)
	if o := next.Outcome(); o != engine.Ongoing {
		return Value{Result(o.Value() * s.ToMove().Sign()), 1}.String()
	}
	p.reset()
	v, ok := p.value(next)
	if !ok {
		return held
	}
	return v.before(next.ToMove() == s.ToMove()).String()
}

// holding returns the line of a position. It matters if some of the actions are proven to
// lose and others are not.
func (p *Prover[S]) holding(s S) Line {
	l := Line{Position: s.String(), Value: held, Moves: map[string]string{}}
	lost := 0
	legal := s.Legal(nil)
	for _, a := range legal {
		v := p.action(s, a)
		l.Moves[s.ActionString(a)] = v
		if v[0] == 'L' {
			lost++
		}
	}
	l.matters = lost > 0 && lost < len(legal)
	return l
}

// Each calls f for the numbers below n on several goroutines, and each with the results
// in the order of the numbers. newFinder makes the f of a goroutine.
func Each(ctx context.Context, n, workers int, newFinder func(stop func() bool) func(i int) (Line, bool), each func(l Line, ok bool) error) error {
	stop := func() bool { return ctx.Err() != nil }
	finders := make([]func(int) (Line, bool), max(1, workers))
	for i := range finders {
		finders[i] = newFinder(stop)
	}
	type result struct {
		line Line
		ok   bool
	}
	results := make([]result, len(finders))
	for from := 0; from < n; from += len(finders) {
		some := finders[:min(len(finders), n-from)]
		var wg sync.WaitGroup
		for k, find := range some {
			wg.Go(func() { results[k].line, results[k].ok = find(from + k) })
		}
		wg.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range some {
			if err := each(results[k].line, results[k].ok); err != nil {
				return err
			}
		}
	}
	return nil
}
