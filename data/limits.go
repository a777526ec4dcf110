package data

import (
	"cmp"

	"dojo.example/engine"
)

// Limits says how large a shard can be. The reader compares a file with them before it
// decompresses anything, so that a file that is damaged, or made to do harm, takes no more
// memory than a good one. The zero Limits are for a file of which nothing is known.
type Limits struct {
	Rows  int // 0: 2^18
	Text  int // bytes of a position; 0: engine.MostText
	Bytes int // of all columns, before compression; 0: 64 MB
}

// LimitsOf returns the limits of a shard with a number of games of the game; with 0 games, of a
// shard whose run is not known.
func LimitsOf(game engine.Spec, games int) Limits {
	const (
		meanPlies   = 1 << 13 // no shard has longer games on average, or
		meanActions = 1 << 10 // more actions in its policies; both are far from what can be computed
		fixed       = 64      // bytes of a row without its text and its policy
		weight      = 9       // bytes of a weight of its policy
	)
	l := Limits{Text: game.TextLimit(), Rows: games * min(cmp.Or(game.MaxPlies, meanPlies), meanPlies)}
	l.Bytes = l.Rows * (fixed + l.Text + weight*min(game.Actions, meanActions))
	return l
}

// orFixed returns l with the fixed limits where l has none.
func (l Limits) orFixed() Limits {
	return Limits{Rows: cmp.Or(l.Rows, 1<<18), Text: cmp.Or(l.Text, engine.MostText), Bytes: cmp.Or(l.Bytes, 64<<20)}
}

// file is the most bytes of the file: what the columns have beside their values is small.
func (l Limits) file() int { return l.Bytes + maxFooter + slack }

const (
	maxFooter     = 64 << 10  // bytes; our own footers have about 2,000
	maxHeader     = 64 << 10  // bytes of a page's header: it quotes the least and the greatest value
	maxElements   = 1 << 12   // of all lists in a footer or header; our own have about 200
	maxDictionary = 64 << 10  // bytes
	maxName       = 1 << 10   // bytes of the name of a run or a model
	maxDepth      = 16        // of structures in structures
	slack         = 256 << 10 // bytes for the headers of pages and their encodings
)
