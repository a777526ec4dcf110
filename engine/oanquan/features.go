package oanquan

import (
	"strconv"

	"dojo.example/engine"
)

// feat numbers the features of a position for sparse networks. As in Encode, the ring is rotated so
// that the mover's folk fields are 1 to 5. These are the reasons for the choice of features:
//
//   - The number of stones in a field decides in which field the last of them lands. The value of
//     7 stones can therefore be very different from the value of 6 or 8. Each number from 1 to 16
//     has its own feature.
//   - The gain of an action (the stones that it wins) depends on the whole board, and a sum of
//     weights cannot compute it. The code plays out all actions of the mover and, as if it were the
//     opponent's turn, all actions of the opponent. It also plays out all answers to each action.
//     The net gain of an action is its gain minus the gain of the best answer. Features spends
//     nearly all of its time on these sowings, about forty per position.
//   - Stones won are counted in fives, because a player refills an empty side with five stones.
//   - The number of plies left matters most near the ply limit.
var feat = func() (f struct {
	groups                                  engine.FeatureGroups
	big, wins                               int // numbers of the first feature for big stones and of the first feature for gains
	margin, myStore, theirStore, nets, left engine.Scale
}) {
	for field := range fields {
		f.groups.Add("field "+strconv.Itoa(field)+":", counts.Names()...)
	}
	f.big = f.groups.Add("big stone on", "0", "6")
	f.margin = f.groups.AddScale("margin", engine.Buckets{-99, -30, -24, -19, -15, -12, -9, -7, -5, -3, -1, 0, 1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 31})
	stores := engine.Buckets{-10, -5, 0, 5, 10, 15, 20, 25, 30, 35, 40, 45}
	f.myStore = f.groups.AddScale("my store", stores)
	f.theirStore = f.groups.AddScale("their store", stores)
	f.wins = f.groups.Count()
	for i := range 4 * side { // two directions per folk field: first the mover's fields, then the opponent's
		f.groups.Add(fieldAndWay(i)+" wins", gains.Names()...)
	}
	f.nets = f.groups.AddScale(fieldAndWay(0)+" nets", nets)
	for a := 1; a < 2*side; a++ {
		f.groups.AddScale(fieldAndWay(a)+" nets", nets)
	}
	f.left = f.groups.AddScale("plies left", engine.Buckets{1, 2, 3, 5, 9, 17, 33, 65})
	return f
}()

const activeFeatures = fields + 2 + 1 + 2 + 4*side + 2*side + 1

// These ranges of numbers are used by many groups.
var (
	counts = engine.Buckets{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 22, 26, 31}
	gains  = engine.Buckets{1, 2, 3, 4, 5, 7, 10, 15}
	nets   = engine.Buckets{-99, -24, -17, -12, -9, -7, -5, -3, -1, 0, 1, 2, 4, 6, 9, 13, 19}

	countBucket = [256]int8(counts.Table(0, 255))
	gainBucket  = [256]int8(gains.Table(0, 255))
)

// fieldAndWay returns the name of the action with index i in wins, as field and direction: "1-",
// "1+", ..., "11+".
func fieldAndWay(i int) string {
	return strconv.Itoa(1+i/2+i/(2*side)) + "-+"[i%2:][:1]
}

// groupWins is the index of the first feature group for gains.
const groupWins = fields + 4

// Features appends the active features; see engine.FeatureLister. A count or a gain of 0 has no
// feature. A branch that skips it would often be mispredicted. Instead, the code always writes a
// feature, but does not increase n if the count or gain is 0, so that the next feature overwrites
// it.
func (s State) Features(dst []uint16) []uint16 {
	var list [activeFeatures + 1]uint16
	n := 0
	turn := 6 * int(s.seat)
	for f := range fields {
		at := f + turn
		if at >= fields {
			at -= fields
		}
		k := countBucket[s.board[at]]
		list[n] = uint16(f*len(counts) + int(k))
		n += present(k)
	}
	for i := range 2 {
		if s.big[(i+int(s.seat))%2] {
			list[n] = uint16(feat.big + i)
			n++
		}
	}
	first, second := s.Score()
	margin := (first - second) * int(s.ToMove().Sign())
	rest := feat.margin.Append(list[:n], margin)
	rest = feat.myStore.Append(rest, int(s.scores[s.seat]))
	n = len(feat.theirStore.Append(rest, int(s.scores[1-s.seat])))
	won, best := s.prospects()
	for i, stones := range won {
		k := gainBucket[stones]
		list[n] = uint16(feat.wins + i*len(gains) + int(k))
		n += present(k)
	}
	for a := range 2 * side {
		list[n] = uint16(feat.nets.First + a*len(nets) + feat.nets.Range(int(won[a])-int(best[a])))
		n += (int(s.board[low(s.seat)+a/2]) + 255) >> 8 // if the field is empty, the action is illegal: n stays, and the next feature overwrites this one
	}
	dst = append(dst, list[:n]...)
	if s.opt.MaxPlies > 0 {
		dst = feat.left.Append(dst, int(s.opt.MaxPlies)-int(s.plies))
	}
	return dst
}

// present returns 1 if a number is in one of the ranges, and 0 if it is in none (bucket is -1). It
// does not branch.
func present(bucket int8) int { return 1 + int(bucket>>7) }

// mirrored returns the image of feature i of a group when the ring is turned over; see
// engine.FeatureGroups.Permute.
func mirrored(group, i int) (otherGroup, j int) {
	switch {
	case group < fields:
		return (6 - group + fields) % fields, i
	case group == fields: // big stones
		return group, 1 - i
	case group >= groupWins && group < groupWins+6*side: // both players' gains and the net gains
		return group + 2*side - 1 - 2*((group-groupWins)%(2*side)), i
	}
	return group, i
}
