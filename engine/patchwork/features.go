package patchwork

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// feat numbers the features of a position for sparse networks. They are from the perspective of the
// player to move. These are the reasons for the choice of features:
//
//   - The patches in the first six places of the circle are on offer now or after one or two
//     purchases. Their features give the exact place. For later patches, the features give only an
//     approximate place.
//   - The features give the exact number of buttons up to the price of the most expensive patch.
//     They give exact times, because some squares pay income and some have a special patch.
//   - The effect of buying an offer now depends on several of these numbers, and a sum cannot
//     express this. Each offer therefore has features for the effect. A sum cannot express single
//     empty cells or the length of the seam (the border between filled and empty cells) either.
//     Both make a quilt hard to fill, so they have features too.
//   - The margin includes future income. Its ranges are smallest around 0.
var feat = func() (f struct {
	groups engine.FeatureGroups

	// These are the numbers of the first feature of each part.
	places, near, far, myTime, theirTime, special, flags int

	buttons, income, holes, seam [2]engine.Scale // index 0: mine; index 1: the opponent's
	lead, margin                 engine.Scale
}) {
	var corners, squares, goals []string
	for cell := range cells {
		corners = append(corners, corner(cell))
	}
	for square := range finish + 1 {
		squares = append(squares, strconv.Itoa(square))
	}
	for _, square := range specials {
		goals = append(goals, strconv.Itoa(square))
	}
	patchNames := strings.Split(letters[:patches], "")
	both := func(what string, ranges engine.Buckets) [2]engine.Scale {
		return [2]engine.Scale{f.groups.AddScale("my "+what, ranges), f.groups.AddScale("their "+what, ranges)}
	}
	f.groups.Add("my quilt", corners...)
	f.groups.Add("their quilt", corners...)
	f.places = f.groups.Count()
	for place := range places {
		f.groups.Add(fmt.Sprintf("place %d:", place+1), patchNames...)
	}
	f.near = f.groups.Add(fmt.Sprintf("places %d to %d:", places+1, near), patchNames...)
	f.far = f.groups.Add(fmt.Sprintf("places %d to %d:", near+1, far), patchNames...)
	f.buttons = both("buttons", engine.Buckets{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 25, 31, 41})
	f.income = both("income", engine.Buckets{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 22})
	f.myTime = f.groups.Add("my time", squares...)
	f.theirTime = f.groups.Add("their time", squares...)
	// No patch takes more than 6 squares of time, so larger leads need no ranges of their own.
	f.lead = f.groups.AddScale("they are ahead by", engine.Buckets{1, 2, 3, 4, 5, 6})
	f.special = f.groups.Add("next special patch on", goals...)
	f.margin = f.groups.AddScale("margin", engine.Buckets{-99, -40, -30, -24, -19, -15, -11, -8, -5, -3, -1, 0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 31, 41})
	f.holes = both("holes", engine.Buckets{1, 2, 3, 4, 6})
	f.seam = both("seam", engine.Buckets{1, 8, 12, 16, 20, 24, 28, 32, 36, 40, 46, 54})
	f.flags = f.groups.Add("due:", "special patch")
	f.groups.Add("7×7:", "open", "mine", "theirs") // the bonus of rule P15 (see rules.md)
	f.groups.Add("first to finish:", "me", "they")
	for k := range offers {
		f.groups.Add(fmt.Sprintf("offer %d:", k+1), "affordable", "fits", "affordable-to-them", "again", "income", "special")
	}
	f.groups.Add("advance:", "income", "special")
	return f
}()

const (
	places    = 6
	near, far = 9, 14 // feat.near is for the places 7 to 9 of the circle, and feat.far for the places 10 to 14

	// The flags below are numbered from feat.flags on. The numbers are the same with and without
	// the option of rule P15 (see rules.md).
	flagPending = 0               // I must place a special patch
	flagSeven   = flagPending + 1 // three flags for the bonus of rule P15: nobody has it yet, I have it, the opponent has it
	flagFirst   = flagSeven + 3   // two flags: whether I or the opponent finished first

	// Each offer has six flags: I can pay for it; it fits on my quilt; the opponent could pay for
	// it; after buying it, I move again; after buying it, I get income; after buying it, I get a
	// special patch.
	flagOffers = flagFirst + 2

	perOffer = 6

	// Advancing has two flags: it brings me income; it brings me a special patch.
	flagAdvance = flagOffers + offers*perOffer

	// activeFeatures is the maximum number of active features: two full quilts, the circle, 13
	// other numbers, and the flags.
	activeFeatures = 2*cells + far + 13 + 3 + offers*perOffer + 2
)

// Features appends the active features; see engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	me, other := s.seat, 1-s.seat
	my, their := s.quilts[me], s.quilts[other]
	dst = engine.AppendFeatures(dst, 0, my.lo)
	dst = engine.AppendFeatures(dst, 64, my.hi|their.lo<<(cells-64))
	dst = engine.AppendFeatures(dst, 128, their.lo>>(128-cells)|their.hi<<(cells-64))
	dst = s.circleFeatures(dst)
	dst = feat.buttons[1].Append(feat.buttons[0].Append(dst, int(s.buttons[me])), int(s.buttons[other]))
	dst = feat.income[1].Append(feat.income[0].Append(dst, int(s.income[me])), int(s.income[other]))
	dst = append(dst, uint16(feat.myTime)+uint16(s.time[me]), uint16(feat.theirTime)+uint16(s.time[other]))
	dst = feat.lead.Append(dst, int(s.time[other])-int(s.time[me]))
	if next := specialsTo[max(s.time[me], s.time[other])]; int(next) < len(specials) {
		dst = append(dst, uint16(feat.special)+uint16(next))
	}
	dst = feat.margin.Append(dst, s.prospect(me)-s.prospect(other))
	dst = feat.holes[1].Append(feat.holes[0].Append(dst, my.holes()), their.holes())
	dst = feat.seam[1].Append(feat.seam[0].Append(dst, my.seam()), their.seam())
	return engine.AppendFeatures(dst, feat.flags, s.flags())
}

// circleFeatures appends the features of the patches in the circle.
func (s *State) circleFeatures(dst []uint16) []uint16 {
	left := int(s.left)
	for k, p := range s.circle[:min(places, left)] {
		dst = append(dst, uint16(feat.places+k*patches)+uint16(p))
	}
	for _, group := range [2]struct{ first, from, to int }{{feat.near, places, near}, {feat.far, near, far}} {
		var set uint64
		for _, p := range s.circle[min(group.from, left):min(group.to, left)] {
			set |= 1 << p
		}
		dst = engine.AppendFeatures(dst, group.first, set)
	}
	return dst
}

// flags returns the features from feat.flags on as a bit mask: bit 0 is feature feat.flags.
func (s *State) flags() (set uint64) {
	me, other := s.seat, 1-s.seat
	flag := func(feature int, on bool) {
		if on {
			set |= 1 << feature
		}
	}
	flag(flagPending, s.pending)
	if s.bySeven {
		flag(flagSeven, s.seven == 0)
		flag(flagSeven+1, s.seven == me+1)
		flag(flagSeven+2, s.seven == other+1)
	}
	flag(flagFirst, s.first == me+1)
	flag(flagFirst+1, s.first == other+1)

	ahead := max(s.time[me], s.time[other])
	// moves sets two flags: whether moving to square "to" brings income, and whether it brings a
	// special patch.
	moves := func(feature int, to uint8) {
		flag(feature, incomesTo[to] > incomesTo[s.time[me]])
		flag(feature+1, specialsTo[to] > specialsTo[min(ahead, to)])
	}
	free := whole.without(s.quilts[me])
	for k, patch := range s.onOffer() {
		p := &pieces[patch]
		to, first := min(s.time[me]+uint8(p.time), finish), flagOffers+k*perOffer
		flag(first, int(s.buttons[me]) >= p.cost)
		flag(first+1, p.fits(free))
		flag(first+2, int(s.buttons[other]) >= p.cost)
		flag(first+3, to <= s.time[other])
		moves(first+4, to)
	}
	moves(flagAdvance, max(s.time[me], min(s.time[other]+1, finish)))
	return set
}

// fits reports whether the patch fits on the free cells in at least one orientation.
func (p *piece) fits(free quilt) bool {
	return slices.ContainsFunc(p.distinct, func(o int) bool { return p.shapes[o].fits(free) != quilt{} })
}

// prospect returns a player's present score plus the income that the player will still get. It
// leaves out the bonus of rule P15. It is too high by the same constant for both players, because
// it adds points for filled cells instead of subtracting points for empty cells.
func (s *State) prospect(p uint8) int {
	return int(s.buttons[p]) + s.toCome(p) + 2*s.quilts[p].count()
}
