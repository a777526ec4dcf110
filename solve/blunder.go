package solve

import "dojo.example/engine"

// held is the value of an action about which nothing is proven.
const held = "H"

// Blunder finds the last position of a game in which the loser's action is proven to lose
// and another action is not. The action played[i] was played in path[i]. The prover's
// bound limits what it proves.
func (p *Prover[S]) Blunder(path []engine.Position, played []engine.Action, loser engine.Player) (l Line, ok bool) {
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i].State().(S)
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

// action returns the value of an action, searched on its own.
func (p *Prover[S]) action(s S, a engine.Action) string {
	p.reset()
	if v, ok := valueOf(s, a, p.value); ok {
		return v.String()
	}
	return held
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
