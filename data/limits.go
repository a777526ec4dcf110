package data

import (
	"cmp"

	"dojo.example/engine"
)

// Limits bounds the size of a shard file. The reader compares the sizes that the file states with
// the limits before it decompresses anything. A damaged or malicious file therefore uses no more
// memory than a valid one. In each field, 0 selects a fixed limit, for files about which nothing is
// known.
type Limits struct {
	Rows  int // largest number of rows; 0 means 2^18
	Text  int // largest length of a position's text in bytes; 0 means engine.MostText
	Bytes int // largest size of all columns in bytes, before compression; 0 means 64 MB
}

// LimitsOf returns the limits of a shard with the given number of games. If games is 0, because the
// run is not known, the limits for rows and bytes are 0; see [Limits].
func LimitsOf(game engine.Spec, games int) Limits {
	const (
		meanPlies   = 1 << 13 // upper bound of the mean game length in plies, far above what a run can compute
		meanActions = 1 << 10 // upper bound of the actions in one policy, far above what a run can compute
		fixed       = 64      // bytes of a row without its text and its policy weights
		weight      = 9       // bytes of one weight in the policy of a row
	)
	l := Limits{Text: game.TextLimit(), Rows: games * min(cmp.Or(game.MaxPlies, meanPlies), meanPlies)}
	l.Bytes = l.Rows * (fixed + l.Text + weight*min(game.Actions, meanActions))
	return l
}

// orFixed returns l with its zeros replaced by the fixed limits.
func (l Limits) orFixed() Limits {
	return Limits{Rows: cmp.Or(l.Rows, 1<<18), Text: cmp.Or(l.Text, engine.MostText), Bytes: cmp.Or(l.Bytes, 64<<20)}
}

// file returns the largest allowed size of the file in bytes: the limit for the uncompressed
// columns, plus the largest footer and the overhead of the pages.
func (l Limits) file() int { return l.Bytes + maxFooter + slack }

const (
	maxFooter = 64 << 10 // largest footer in bytes; dojo writes footers of about 2,000 bytes
	maxHeader = 64 << 10 // largest page header in bytes; a header contains the page's minimum and maximum
	// maxElements is the largest number of list elements in a footer or page header; dojo writes
	// about 200.
	maxElements   = 1 << 12
	maxDictionary = 64 << 10  // largest dictionary in bytes
	maxName       = 1 << 10   // largest length in bytes of the name of a run or a model
	maxDepth      = 16        // how deeply structures may be nested
	slack         = 256 << 10 // bytes allowed for page headers and for the overhead of encodings
)
