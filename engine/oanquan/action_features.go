package oanquan

import "dojo/engine"

// An action has two features: what it wins, and nets after the best answer; and how many
// fields with stones both sides have afterwards, or that the game is over.
const (
	actionNets     = 0
	actionFields   = actionNets + netRanges*(winRanges+1)
	actionEnds     = actionFields + (side+1)*(side+1)
	actionFeatures = actionEnds + 1
)

// ActionFeatures lists what each action does; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	won, best := s.prospects()
	for _, a := range legal {
		net := clamped(netBucket, nets[0], int(won[a])-int(best[a]))
		dst = append(dst, uint16(actionNets+net*(winRanges+1)+int(gainBucket[won[a]])+1))
	}
	for _, a := range legal {
		next := s.Play(a)
		f := actionEnds
		if next.outcome == engine.Ongoing {
			var occupied [2]int
			for seat := range occupied {
				for i := range side {
					if next.board[low(uint8(seat))+i] > 0 {
						occupied[seat]++
					}
				}
			}
			f = actionFields + occupied[s.seat]*(side+1) + occupied[1-s.seat]
		}
		dst = append(dst, uint16(f))
	}
	return dst
}
