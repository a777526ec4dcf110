package patchwork

import "dojo.example/engine"

// These are the channels of the network input, from the perspective of the player to move. Each
// channel from chScalars on has the same value on every cell.
const (
	chMine    = 0 // filled cells of the mover's quilt
	chTheirs  = 1 // filled cells of the opponent's quilt
	chOnes    = 2 // 1 on every cell, to show the edge of the board
	chShape   = 3 // three channels, one per offer: its shape, in the top-left corner of the plane
	chFits    = 6 // three channels: where each affordable offer can have its top left corner
	chCover   = 9 // three channels: cells that each affordable offer could cover
	chScalars = 12
	channels  = 51
)

// Encode writes the network input; see engine.State.
func (s State) Encode(planes []float32) {
	_ = planes[cells*channels-1]
	clear(planes)
	me, other := s.seat, 1-s.seat
	var scalars [channels - chScalars]float32
	s.scalars(&scalars, me, other)
	for i := 0; i < cells*channels; i += channels {
		planes[i+chOnes] = 1
		copy(planes[i+chScalars:i+channels], scalars[:])
	}
	mark := func(channel int, q quilt) {
		for q != (quilt{}) {
			planes[q.pop()*channels+channel] = 1
		}
	}
	mark(chMine, s.quilts[me])
	mark(chTheirs, s.quilts[other])
	free := whole.without(s.quilts[me])
	for k, patch := range s.onOffer() {
		p := &pieces[patch]
		mark(chShape+k, p.shapes[0].mask)
		if s.pending || int(s.buttons[me]) < p.cost {
			continue
		}
		var corners, cover quilt
		for _, o := range p.distinct {
			at := p.shapes[o].fits(free)
			corners = corners.or(at)
			for _, offset := range p.shapes[o].offsets {
				cover = cover.or(at.up(offset))
			}
		}
		mark(chFits+k, corners)
		mark(chCover+k, cover)
	}
}

// scalars writes the values of the channels from chScalars on.
func (s *State) scalars(dst *[channels - chScalars]float32, me, other uint8) {
	i := 0
	add := func(v float32) { dst[i] = v; i++ }
	either := func(v float32) { add(max(0, v)); add(max(0, -v)) } // planes must not be negative, so a signed number takes two
	for k := range 2 * offers {                                   // the three patches on offer and the next three in the circle
		if k >= int(s.left) {
			i += 4
			continue
		}
		p := &pieces[s.circle[k]]
		add(1)
		add(float32(p.cost) / 10)
		add(float32(p.time) / 6)
		add(float32(p.income) / 3)
	}
	for _, p := range [2]uint8{me, other} {
		add(float32(s.time[p]) / finish)
		add(float32(s.buttons[p]) / 30)
		add(float32(s.income[p]) / 15)
		add(float32(s.toCome(p)) / 50)
	}
	first, second := s.Score()
	margin := float32(first + s.toCome(0) - second - s.toCome(1))
	either(margin * engine.Player(me).Sign() / 40)
	either(float32(int(s.time[other])-int(s.time[me])) / 10)
	add(float32(s.left) / patches)
	flag := func(on bool) {
		if on {
			dst[i] = 1
		}
		i++
	}
	flag(s.pending)
	flag(s.first == me+1)
}

// symmetries returns the seven ways to turn and mirror the opponent's quilt. These are symmetries
// because the mover's actions do not depend on this quilt.
func symmetries() (all []engine.Relabelling) {
	for o := 1; o < orientations; o++ {
		all = append(all, engine.Relabelling{
			Name: "their quilt " + letters[o:o+1],
			Element: func(cell, channel int) (int, int) {
				if channel == chTheirs {
					cell = image(cell, o)
				}
				return cell, channel
			},
			Feature: func(group, i int) (int, int) {
				if group == 1 { // the opponent's quilt
					i = image(i, o)
				}
				return group, i
			},
		})
	}
	return all
}
