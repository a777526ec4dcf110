package patchwork

import (
	"fmt"

	"dojo/engine"
)

// The features of a position, for networks whose first layer sums columns.
// Everything is the player to move's view. The reasons:
//
//   - The filled cells of both quilts, and the patches of the first six places
//     of the circle, one feature each: those on offer, and those that can be
//     after one purchase or two. Further on, only roughly where a patch is.
//   - Buttons are exact up to the price of the dearest patch. Times are exact,
//     as the squares differ: some pay, some hold a special patch.
//   - What an offer would do now depends on several of these at once, which a
//     sum cannot combine: whether it can be paid and placed, whose turn it is
//     afterwards, whether it passes income or takes a special patch.
//   - Single empty cells and a long seam between filled and empty ones make a
//     quilt hard to fill: both depend on pairs of neighbours.
//   - The margin holds the income still to come, finest around 0.
const (
	featMine        = 0
	featTheirs      = featMine + cells
	featPlaces      = featTheirs + cells          // a patch on each of the first places of the circle
	featNear        = featPlaces + places*patches // on places 7 to 9
	featFar         = featNear + patches          // on places 10 to 14
	featMyButtons   = featFar + patches
	featTheyHave    = featMyButtons + buttonRanges
	featMyIncome    = featTheyHave + buttonRanges
	featTheirIncome = featMyIncome + incomeRanges
	featMyTime      = featTheirIncome + incomeRanges
	featTheirTime   = featMyTime + finish + 1
	featLead        = featTheirTime + finish + 1 // how far the other is ahead in time
	featSpecial     = featLead + leadRanges      // the next special patch on the time board
	featMargin      = featSpecial + len(specials)
	featMyHoles     = featMargin + marginRanges
	featTheirHoles  = featMyHoles + holeRanges
	featMySeam      = featTheirHoles + holeRanges
	featTheirSeam   = featMySeam + seamRanges
	featPending     = featTheirSeam + seamRanges   // the mover must place a special patch
	featSeven       = featPending + 1              // the bonus of P15: open, mine, the other's
	featFirst       = featSeven + 3                // who finished first: I, the other
	featOffers      = featFirst + 2                // of each: see perOffer
	featAdvance     = featOffers + offers*perOffer // passes income, takes a special patch
	features        = featAdvance + 2

	places       = 6
	near, far    = 9, 14 // the last places of featNear and featFar
	perOffer     = 6     // I can pay it, it fits, the other could pay it, I move again, it passes income, it takes a special patch
	buttonRanges = 17
	incomeRanges = 16
	leadRanges   = 6
	marginRanges = 23
	holeRanges   = 5
	seamRanges   = 12

	// Two full quilts, the circle, 13 numbers, and the flags.
	activeFeatures = 2*cells + far + 13 + 3 + offers*perOffer + 2
)

var (
	buttonCounts = engine.Buckets{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 25, 31, 41}
	incomeCounts = engine.Buckets{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 22}
	leads        = engine.Buckets{1, 2, 3, 4, 5, 6} // no patch takes longer
	margins      = engine.Buckets{-99, -40, -30, -24, -19, -15, -11, -8, -5, -3, -1, 0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 31, 41}
	holeCounts   = engine.Buckets{1, 2, 3, 4, 6}
	seamLengths  = engine.Buckets{1, 8, 12, 16, 20, 24, 28, 32, 36, 40, 46, 54}

	buttonBucket = buttonCounts.Table(0, 41)
	incomeBucket = incomeCounts.Table(0, 22)
	leadBucket   = leads.Table(0, finish)
	marginBucket = margins.Table(margins[0], 99)
	holeBucket   = holeCounts.Table(0, cells)
	seamBucket   = seamLengths.Table(0, 2*cells)
)

var featureGroups = func() (groups []engine.FeatureGroup) {
	add := func(name string, each ...string) {
		groups = append(groups, engine.FeatureGroup{Name: name, Each: each})
	}
	var corners, squares, goals []string
	for cell := range cells {
		corners = append(corners, corner(cell))
	}
	for square := range finish + 1 {
		squares = append(squares, fmt.Sprint(square))
	}
	for _, square := range specials {
		goals = append(goals, fmt.Sprint(square))
	}
	patchNames := make([]string, patches)
	for p := range patchNames {
		patchNames[p] = letters[p : p+1]
	}
	add("my quilt", corners...)
	add("their quilt", corners...)
	for place := range places {
		add(fmt.Sprintf("place %d:", place+1), patchNames...)
	}
	add(fmt.Sprintf("places %d to %d:", places+1, near), patchNames...)
	add(fmt.Sprintf("places %d to %d:", near+1, far), patchNames...)
	add("my buttons", buttonCounts.Names()...)
	add("their buttons", buttonCounts.Names()...)
	add("my income", incomeCounts.Names()...)
	add("their income", incomeCounts.Names()...)
	add("my time", squares...)
	add("their time", squares...)
	add("they are ahead by", leads.Names()...)
	add("next special patch on", goals...)
	add("margin", margins.Names()...)
	add("my holes", holeCounts.Names()...)
	add("their holes", holeCounts.Names()...)
	add("my seam", seamLengths.Names()...)
	add("their seam", seamLengths.Names()...)
	add("due:", "special patch")
	add("7×7:", "open", "mine", "theirs")
	add("first to finish:", "me", "they")
	for k := range offers {
		add(fmt.Sprintf("offer %d:", k+1), "affordable", "fits", "affordable-to-them", "again", "income", "special")
	}
	add("advance:", "income", "special")
	return groups
}()

// Features lists the active features; see engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	me, other := s.seat, 1-s.seat
	my, their := s.quilts[me], s.quilts[other]
	dst = engine.AppendFeatures(dst, featMine, my.lo)
	dst = engine.AppendFeatures(dst, featMine+64, my.hi|their.lo<<(cells-64))
	dst = engine.AppendFeatures(dst, featMine+128, their.lo>>(128-cells)|their.hi<<(cells-64))
	dst = s.circleFeatures(dst)

	one := func(table []int8, first, n int) {
		if k := table[min(max(n, 0), len(table)-1)]; k >= 0 {
			dst = append(dst, uint16(first+int(k)))
		}
	}
	one(buttonBucket, featMyButtons, int(s.buttons[me]))
	one(buttonBucket, featTheyHave, int(s.buttons[other]))
	one(incomeBucket, featMyIncome, int(s.income[me]))
	one(incomeBucket, featTheirIncome, int(s.income[other]))
	dst = append(dst, featMyTime+uint16(s.time[me]), featTheirTime+uint16(s.time[other]))
	one(leadBucket, featLead, int(s.time[other])-int(s.time[me]))
	if next := specialsTo[max(s.time[me], s.time[other])]; int(next) < len(specials) {
		dst = append(dst, featSpecial+uint16(next))
	}
	one(marginBucket, featMargin, s.prospect(me)-s.prospect(other)-margins[0])
	one(holeBucket, featMyHoles, my.holes())
	one(holeBucket, featTheirHoles, their.holes())
	one(seamBucket, featMySeam, my.seam())
	one(seamBucket, featTheirSeam, their.seam())
	return engine.AppendFeatures(dst, featPending, s.flags())
}

// circleFeatures appends the features of the circle.
func (s *State) circleFeatures(dst []uint16) []uint16 {
	left := int(s.left)
	for k, p := range s.circle[:min(places, left)] {
		dst = append(dst, uint16(featPlaces+k*patches)+uint16(p))
	}
	for _, group := range [2]struct{ first, from, to int }{{featNear, places, near}, {featFar, near, far}} {
		var set uint64
		for _, p := range s.circle[min(group.from, left):min(group.to, left)] {
			set |= 1 << p
		}
		dst = engine.AppendFeatures(dst, group.first, set)
	}
	return dst
}

// flags returns the features from featPending on as bits.
func (s *State) flags() (set uint64) {
	me, other := s.seat, 1-s.seat
	flag := func(feature int, on bool) {
		if on {
			set |= 1 << (feature - featPending)
		}
	}
	flag(featPending, s.pending)
	if s.bySeven {
		flag(featSeven, s.seven == 0)
		flag(featSeven+1, s.seven == me+1)
		flag(featSeven+2, s.seven == other+1)
	}
	flag(featFirst, s.first == me+1)
	flag(featFirst+1, s.first == other+1)

	ahead := max(s.time[me], s.time[other])
	moves := func(feature int, to uint8) { // the mover's token
		flag(feature, incomesTo[to] > incomesTo[s.time[me]])
		flag(feature+1, specialsTo[to] > specialsTo[min(ahead, to)])
	}
	free := whole.without(s.quilts[me])
	for k, patch := range s.circle[:min(offers, int(s.left))] {
		p := &pieces[patch]
		to, first := min(s.time[me]+uint8(p.time), finish), featOffers+k*perOffer
		flag(first, int(s.buttons[me]) >= p.cost)
		flag(first+1, p.fits(free))
		flag(first+2, int(s.buttons[other]) >= p.cost)
		flag(first+3, to <= s.time[other])
		moves(first+4, to)
	}
	moves(featAdvance, max(s.time[me], min(s.time[other]+1, finish)))
	return set
}

// fits reports whether the patch has a place on free cells, in some
// orientation.
func (p *piece) fits(free quilt) bool {
	for o := range p.shapes {
		if shape := &p.shapes[o]; shape.same == o && shape.fits(free) != (quilt{}) {
			return true
		}
	}
	return false
}

// prospect returns a player's score with the income still to come, without the bonus
// of P15.
func (s *State) prospect(p uint8) int {
	return int(s.buttons[p]) + s.toCome(p) + 2*s.quilts[p].count()
}
