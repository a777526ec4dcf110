package arena

import (
	"fmt"
	"strings"

	"dojo.example/internal/journal"
)

// A MatchLog stores the games of matches between any number of players of one game, and
// further matches can be added. It may have a file: a line of JSON that names the game, and a
// line for each pair of games, which is written as soon as the pair has been played, in any order.
// A program that is killed loses only the pairs that it was playing.
//
//	{"match_log":1,"game":"onitama"}
//	{"a":{"player":"runs/x:64","model":"5f0c…"},"b":{"player":"mcts:1000"},"seed":1,"plies":2,"pair":0,
//	 "opening":"bbBbb/… 0 9,7 15,4 13 2","games":[{"first":"a","outcome":"second","actions":["9 A1B2",…]},{"first":"b",…}]}
//
// A match is identified by its players, its seed, the number of random plies in its
// openings, and how balanced these are. When the same match is requested again, only the missing
// pairs are played. Pairs count in the order of their numbers, up to the first one that is missing.
type MatchLog struct {
	Game string // its name

	file    journal.Journal
	order   []matchKey                  // the matches, in the order in which they were begun
	matches map[matchKey]map[int]Played // the pairs of each match, by number
}

func newMatchLog(game, path string) *MatchLog {
	return &MatchLog{Game: game, file: journal.Journal{Path: path}, matches: map[matchKey]map[int]Played{}}
}

// id identifies a player. The id of a model has its hash, its constants and its budget, but not its
// path, because the best model of a run changes. It follows from the player's name only: whether a
// file exists must not decide to which player the games of a log belong.
func (c Contestant) id() string {
	if c.Model == "" {
		return c.Player
	}
	m, err := SplitName(c.Player, nil)
	if err != nil {
		return c.Model + c.Constants + c.Player
	}
	return c.Model + c.Constants + strings.TrimPrefix(c.Player, m.Path)
}

// Same reports whether two names stand for the same player, whose rating relative to itself
// says nothing.
func (c Contestant) Same(other Contestant) bool { return c.id() == other.id() }

// A matchKey identifies a match. a and b are the ids of its players, in ascending order.
type matchKey struct {
	a, b     string
	seed     uint64
	plies    int
	balanced float32
}

// Played is a pair of games of a match log.
type Played struct {
	A       Contestant   `json:"a"`
	B       Contestant   `json:"b"`
	Seed    uint64       `json:"seed"`
	Plies   int          `json:"plies"`   // random ones, of the opening
	Pair    int          `json:"pair"`    // its number in the match
	Opening string       `json:"opening"` // the position after the random plies
	Games   []PlayedGame `json:"games"`   // two, sides swapped

	Balanced float32 `json:"balanced,omitempty"` // the Edge of the match's Balanced; 0 without one
}

// PlayedGame is a game of a pair; its opening is the pair's.
type PlayedGame struct {
	First string `json:"first"` // who played first: "a" or "b"
	Record
}

// key identifies the match of the pair.
func (p Played) key() matchKey {
	m := matchKey{p.A.id(), p.B.id(), p.Seed, p.Plies, p.Balanced}
	if m.a > m.b {
		m.a, m.b = m.b, m.a
	}
	return m
}

// add adds a pair, unless the log has it: two programs that added to the file at the same
// time may both have played it.
func (l *MatchLog) add(p Played) {
	m := p.key()
	if l.matches[m] == nil {
		l.order = append(l.order, m)
		l.matches[m] = map[int]Played{}
	}
	if _, known := l.matches[m][p.Pair]; !known {
		l.matches[m][p.Pair] = p
	}
}

// played returns what a match log says of all pairs of a match.
func (o *Options) played() Played {
	p := Played{A: o.A, B: o.B, Seed: o.Seed, Plies: o.OpeningPlies}
	if o.Balanced != nil {
		p.Balanced = o.Balanced.Edge
	}
	return p
}

// record adds a pair of a match, which has just been played, and writes it to the file.
func (l *MatchLog) record(o *Options, games []Record) error {
	pair := o.played()
	for _, r := range games {
		pair.Pair, pair.Opening, r.Opening = r.Pair, r.Opening, ""
		pair.Games = append(pair.Games, PlayedGame{map[bool]string{true: "a", false: "b"}[r.AFirst], r})
	}
	l.add(pair)
	if err := l.file.Append(pair); err != nil {
		return fmt.Errorf("match log: %w", err)
	}
	return nil
}

// pairs returns the pairs of a match by their numbers. Its player a is A in their records.
func (l *MatchLog) pairs(m matchKey, a Contestant) map[int][]Record {
	all := map[int][]Record{}
	for n, p := range l.matches[m] {
		for _, g := range p.Games {
			g.Pair, g.Opening, g.AFirst = n, p.Opening, (g.First == "a") == (p.A.id() == a.id())
			all[n] = append(all[n], g.Record)
		}
	}
	return all
}

// result returns the result of a match from the side of its player a.
func (l *MatchLog) result(m matchKey, a Contestant) Result {
	count := newStanding()
	pairs := l.pairs(m, a)
	for n := 0; pairs[n] != nil; n++ {
		count.add(pairs[n])
	}
	return count.Result
}

// Rungs rates all players of the log together. Games that repeat another of their
// match count once.
func (l *MatchLog) Rungs() []Rung {
	var meetings []Meeting
	named := map[string]Contestant{}
	for _, m := range l.order {
		first, begun := l.matches[m][0]
		if !begun {
			continue
		}
		for _, c := range []Contestant{first.A, first.B} {
			if _, known := named[c.id()]; !known {
				named[c.id()] = c
			}
		}
		meetings = append(meetings, l.result(m, first.A).Meeting(first.A.id(), first.B.id()))
	}
	rungs := Ladder(meetings)
	for i := range rungs {
		c := named[rungs[i].Player]
		rungs[i].Player, rungs[i].Model = c.Player, c.Model
	}
	return rungs
}
