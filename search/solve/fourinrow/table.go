package fourinrow

import "math/bits"

// A table stores bounds of the scores of positions. A bucket is a line of the processor's cache.
// The hash of a position is one-to-one. Its high bits select the bucket, and the entry stores the
// low bits, so different positions are never confused. An entry is a word:
//
//	[ low bits of the hash | work: 6 bits | lower bound: 6 bits | upper bound: 6 bits ]
//
// The work is the binary logarithm of the number of nodes that were searched. The bounds are stored
// with offset added. An empty entry is 0. In a full bucket, a new entry replaces the one with the
// least work. A table begins small. It doubles when half of its entries are used, up to a limit.
type table struct {
	buckets [][bucketSize]uint64
	low     uint // number of low bits of the hash
	used    int  // number of entries that are not empty
	most    int  // largest number of buckets
}

const (
	bucketSize  = 8
	bucketBytes = 8 * bucketSize
	keyBits     = width * column
	hashFactor  = 0x9E3779B97F4A7C15 & (1<<keyBits - 1) // odd, so the multiplication modulo 2^keyBits is one-to-one

	boundBits = 6
	workAt    = 2 * boundBits
	lowAt     = workAt + 6
	offset    = 32 // larger than any score, so that stored bounds are positive

	firstBuckets = 1 << 10
	mostBuckets  = 1 << 30
)

// noBounds holds the bounds that every score has.
const noBounds = (offset-cells/2)<<boundBits | (offset + cells/2)

// newTable returns a table that has at most the given number of buckets, rounded down to a power of
// two, when it is large.
func newTable(most int) table {
	t := table{most: firstBuckets}
	for 2*t.most <= min(most, mostBuckets) {
		t.most *= 2
	}
	t.resize(firstBuckets, nil)
	return t
}

// crowded reports whether the table should grow.
func (t *table) crowded() bool {
	return t.used > len(t.buckets)*bucketSize/2 && len(t.buckets) < t.most
}

// resize gives the table a number of buckets that is a power of two. The entries of each old bucket
// move to new buckets whose numbers begin with the same bits. If stop returns true, the table does
// not change. The function stop may be nil.
func (t *table) resize(buckets int, stop func() bool) {
	large := make([][bucketSize]uint64, buckets)
	low := keyBits - uint(bits.Len(uint(buckets))-1)
	for i := range t.buckets {
		if i%stopEvery == 0 && stop != nil && stop() {
			return
		}
		for j, e := range t.buckets[i] {
			if e != 0 {
				hash := uint64(i)<<t.low | e>>lowAt
				large[hash>>low][j] = hash&(1<<low-1)<<lowAt | e&(1<<lowAt-1)
			}
		}
	}
	t.buckets, t.low = large, low
}

// find returns the hash of a position and the known bounds of its score.
func (t *table) find(n *node) (hash, bounds uint64) {
	key := n.mine + n.mask() + ground // the sum is different for each position
	if n.stones <= mostMirrored {
		key = min(key, mirrored(key))
	}
	hash = key * hashFactor & (1<<keyBits - 1)
	low := hash & (1<<t.low - 1)
	for _, e := range t.buckets[hash>>t.low] {
		if e>>lowAt == low && e != 0 {
			return hash, e & (1<<workAt - 1)
		}
	}
	return hash, noBounds
}

// store stores the bounds of a position. The parameter nodes is the number of nodes that the search
// took.
func (t *table) store(hash, bounds, nodes uint64) {
	bucket, low := &t.buckets[hash>>t.low], hash&(1<<t.low-1)
	at, least := 0, uint64(1)<<lowAt
	for i, e := range bucket {
		if e>>lowAt == low && e != 0 {
			at = i
			break
		}
		if work := e & (1<<lowAt - 1<<workAt); work < least {
			at, least = i, work
		}
	}
	if bucket[at] == 0 {
		t.used++
	}
	bucket[at] = low<<lowAt | uint64(bits.Len64(nodes))<<workAt | bounds
}

func lowerBound(bounds uint64) int { return int(bounds>>boundBits) - offset }
func upperBound(bounds uint64) int { return int(bounds&(1<<boundBits-1)) - offset }
