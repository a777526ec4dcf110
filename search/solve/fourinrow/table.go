package fourinrow

import "math/bits"

// A table stores bounds of the scores of positions. A bucket is a line of the processor's cache. The
// hash of a position is one-to-one. Its high bits select the bucket, and the entry stores the low bits,
// so different positions are never confused. An entry is a word:
//
//	[ low bits of the hash | work: 6 bits | lower bound: 6 bits | upper bound: 6 bits ]
//
// The work is the binary logarithm of the number of nodes that were searched. The bounds are stored
// with offset added. An empty entry is 0. In a full bucket, a new entry replaces the one with the
// least work.
type table struct {
	buckets [][bucketSize]uint64
	low     uint // number of low bits of the hash
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

	leastBuckets, mostBuckets = 10, 30 // as binary logarithms
)

// noBounds holds the bounds that every score has.
const noBounds = (offset-cells/2)<<boundBits | (offset + cells/2)

func lowerBound(bounds uint64) int { return int(bounds>>boundBits) - offset }
func upperBound(bounds uint64) int { return int(bounds&(1<<boundBits-1)) - offset }

// tableBytes returns the size of the largest table that needs at most the given number of bytes. The
// smallest table has 64 KiB.
func tableBytes(bytes int64) int64 {
	return bucketBytes << min(max(bits.Len64(uint64(bytes/bucketBytes))-1, leastBuckets), mostBuckets)
}

func newTable(bytes int64) table {
	n := tableBytes(bytes) / bucketBytes
	return table{make([][bucketSize]uint64, n), keyBits - uint(bits.Len64(uint64(n))-1)}
}

// find returns the bucket of a position, the low bits of its hash, and the known bounds.
func (t *table) find(n *node) (bucket *[bucketSize]uint64, low, bounds uint64) {
	key := n.mine + n.mask() + ground // the sum is different for each position
	if n.stones <= mostMirrored {
		key = min(key, mirrored(key))
	}
	hash := key * hashFactor & (1<<keyBits - 1)
	bucket, low = &t.buckets[hash>>t.low], hash&(1<<t.low-1)
	for _, e := range bucket {
		if e>>lowAt == low && e != 0 {
			return bucket, low, e & (1<<workAt - 1)
		}
	}
	return bucket, low, noBounds
}

// store writes the bounds of a position into its bucket. The parameter nodes is the number of nodes
// that the search took.
func store(bucket *[bucketSize]uint64, low, bounds, nodes uint64) {
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
	bucket[at] = low<<lowAt | uint64(bits.Len64(nodes))<<workAt | bounds
}
