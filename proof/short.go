package proof

import "dojo/engine"

// Short looks for a win at hand: within one turn of the mover, or within a turn of each if
// the mover cannot meet a threat, as far as turns says (1 or 2; 0: it does not look). It
// returns who wins, or Ongoing. The game, which is not over, must be an [engine.Striker].
func (p *Search[S]) Short(s *S, turns int) engine.Outcome {
	mover := (*s).ToMove()
	switch {
	case turns >= 1 && strikes(s, mover):
		return engine.WonBy(mover)
	case turns >= 2 && strikes(s, 1-mover) && p.helpless(s, mover, 0):
		return engine.WonBy(1 - mover)
	}
	return engine.Ongoing
}

// helpless reports whether the other player wins at once however mover ends his turn.
func (p *Search[S]) helpless(s *S, mover engine.Player, depth int) bool {
	at := &p.levels[depth]
	at.legal = (*s).Legal(at.legal[:0])
	at.children = append(at.children[:0], child[S]{})
	next := &at.children[0].state
	goesOn := false
	for _, a := range at.legal {
		*next = (*s).Play(a)
		if (*next).Outcome() != engine.Ongoing || !strikes(next, 1-mover) {
			return false // also where his turn goes on: he need not open himself to a threat
		}
		goesOn = goesOn || (*next).ToMove() == mover
	}
	if goesOn && depth+1 == len(p.levels) {
		return false
	}
	for i := 0; goesOn && i < len(at.legal); i++ {
		*next = (*s).Play(at.legal[i])
		if (*next).ToMove() == mover && !p.helpless(next, mover, depth+1) {
			return false
		}
	}
	return true
}

func strikes[S any](s *S, p engine.Player) bool { return any(s).(engine.Striker).Strikes(p) }
