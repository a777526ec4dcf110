package mcts

import "dojo/engine"

// Follow moves a search to p if one or two actions lead there from where it
// stands: the other player's answer, with an action of the player's own where
// turns repeat. It reports whether it could; what is known below p is kept.
func Follow(s Search, p engine.Position) bool {
	at := s.Position()
	if at.State() == p.State() {
		return true
	}
	if at.Outcome() != engine.Ongoing {
		return false
	}
	for _, a := range at.Legal(nil) {
		next := at.Play(a)
		if next.State() == p.State() {
			s.Play(a)
			return true
		}
		if next.Outcome() != engine.Ongoing || next.ToMove() == p.ToMove() {
			continue
		}
		for _, b := range next.Legal(nil) {
			if next.Play(b).State() == p.State() {
				s.Play(a)
				s.Play(b)
				return true
			}
		}
	}
	return false
}
