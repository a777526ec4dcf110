package oanquan

import (
	"strconv"

	"dojo/engine"
)

// The features of a position, for networks whose first layer sums columns. The
// ring is turned so that the mover's folk fields are 1 to 5, as in Encode. The
// reasons:
//
//   - A field's count decides where its stones end, so the value of 7 stones can
//     differ much from that of 6 or 8. Every count from 1 to 16 is a feature.
//   - What playing a field wins depends on the whole board, which a sum cannot
//     compute. It is played out for all fields of the mover and, as if it were
//     his turn, of the other player.
//   - So are all answers to every action: an action nets what it wins minus
//     what the best answer wins. Features spends nearly all of its time on these
//     sowings, about forty per position.
//   - Stones won are counted in fives, the price of a refill. The ranges of the
//     present margin are finest around 0, where the game is decided.
//   - Plies left matter most near the cap.
const (
	featCounts   = 0                               // by field
	featBig      = featCounts + fields*countRanges // the kings' big stones
	featMargin   = featBig + 2                     // Score: the mover's less the other's
	featMyStore  = featMargin + marginRanges       // stones won
	featTheirs   = featMyStore + storeRanges       // by the other
	featWins     = featTheirs + storeRanges        // by folk field and direction: the mover's five, the other's
	featNets     = featWins + 4*side*winRanges     // by legal action
	featLeft     = featNets + 2*side*netRanges     // plies left until the cap
	features     = featLeft + leftRanges
	countRanges  = 21
	marginRanges = 23
	storeRanges  = 12
	winRanges    = 8
	netRanges    = 17
	leftRanges   = 8

	activeFeatures = fields + 2 + 1 + 2 + 4*side + 2*side + 1
)

var (
	counts  = engine.Buckets{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 22, 26, 31}
	margins = engine.Buckets{-99, -30, -24, -19, -15, -12, -9, -7, -5, -3, -1, 0, 1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 31}
	stores  = engine.Buckets{-10, -5, 0, 5, 10, 15, 20, 25, 30, 35, 40, 45}
	gains   = engine.Buckets{1, 2, 3, 4, 5, 7, 10, 15}
	nets    = engine.Buckets{-99, -24, -17, -12, -9, -7, -5, -3, -1, 0, 1, 2, 4, 6, 9, 13, 19}
	left    = engine.Buckets{1, 2, 3, 5, 9, 17, 33, 65}

	countBucket  = [256]int8(counts.Table(0, 255))
	marginBucket = margins.Table(margins[0], 99)
	storeBucket  = stores.Table(stores[0], 45)
	netBucket    = nets.Table(-99, 99)
	gainBucket   = [256]int8(gains.Table(0, 255))
)

var featureGroups = func() (groups []engine.FeatureGroup) {
	add := func(name string, each []string) {
		groups = append(groups, engine.FeatureGroup{Name: name, Each: each})
	}
	for f := range fields {
		add("field "+strconv.Itoa(f)+":", counts.Names())
	}
	add("big stone on", []string{"0", "6"})
	add("margin", margins.Names())
	add("my store", stores.Names())
	add("their store", stores.Names())
	for i := range 4 * side {
		add(fieldAndWay(i)+" wins", gains.Names())
	}
	for a := range 2 * side {
		add(fieldAndWay(a)+" nets", nets.Names())
	}
	add("plies left", left.Names())
	return groups
}()

// fieldAndWay names element i of wins: "1-", "1+", ..., "11+".
func fieldAndWay(i int) string {
	return strconv.Itoa(1+i/2+i/(2*side)) + "-+"[i%2:][:1]
}

// The indices of the groups after those of the fields.
const (
	groupBig  = fields
	groupWins = groupBig + 4
	groupNets = groupWins + 4*side
	groupLeft = groupNets + 2*side
)

// Features lists the active features; see engine.FeatureLister. A count or gain of 0
// has no feature; it is written to the list and overwritten by the next, because a
// branch would often be mispredicted.
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
		list[n] = uint16(featCounts + f*countRanges + int(k))
		n += present(k)
	}
	for i := range 2 {
		if s.big[(i+int(s.seat))%2] {
			list[n] = uint16(featBig + i)
			n++
		}
	}
	first, second := s.Score()
	margin := (first - second) * int(s.ToMove().Sign())
	list[n] = uint16(featMargin + clamped(marginBucket, margins[0], margin))
	list[n+1] = uint16(featMyStore + clamped(storeBucket, stores[0], int(s.scores[s.seat])))
	list[n+2] = uint16(featTheirs + clamped(storeBucket, stores[0], int(s.scores[1-s.seat])))
	n += 3
	won, best := s.prospects()
	for i, stones := range won {
		k := gainBucket[stones]
		list[n] = uint16(featWins + i*winRanges + int(k))
		n += present(k)
	}
	for a := range 2 * side {
		list[n] = uint16(featNets + a*netRanges + clamped(netBucket, nets[0], int(won[a])-int(best[a])))
		n += (int(s.board[low(s.seat)+a/2]) + 255) >> 8 // no feature if it is not legal
	}
	if s.opt.MaxPlies > 0 {
		if k := left.Of(int(s.opt.MaxPlies) - int(s.plies)); k >= 0 {
			list[n] = uint16(featLeft + k)
			n++
		}
	}
	return append(dst, list[:n]...)
}

// present is 1 for a bucket and 0 for none, without a branch.
func present(bucket int8) int { return 1 + int(bucket>>7) }

// clamped looks a number up in a table that begins at low. Numbers outside the table
// count as the nearest one inside.
func clamped(table []int8, low, n int) int {
	return int(table[min(max(n-low, 0), len(table)-1)])
}

// mirrored returns where features go when the ring is turned over; see
// engine.PermuteFeatures.
func mirrored(group, i int) (otherGroup, j int) {
	switch {
	case group < fields:
		return (6 - group + fields) % fields, i
	case group == groupBig:
		return group, 1 - i
	case group >= groupWins && group < groupWins+2*side:
		return 2*groupWins + 2*side - 1 - group, i
	case group >= groupWins && group < groupNets:
		return 2*groupWins + 6*side - 1 - group, i
	case group >= groupNets && group < groupLeft:
		return 2*groupNets + 2*side - 1 - group, i
	}
	return group, i
}
