package arena

import (
	"fmt"
	"strings"

	"dojo.example/internal/journal"
)

// A MatchLog stores matches between any number of players of one game. New matches can be added to
// it. If the log has a file, the first line of the file is JSON that names the game, and each
// further line holds one pair of games. A pair is written as soon as it has been played, so the
// lines may be in any order. If the program is killed, only the pairs that were in progress are
// lost.
//
//	{"match_log":1,"game":"onitama"}
//	{"a":{"player":"runs/x:64","model":"5f0c…"},"b":{"player":"mcts:1000"},"seed":1,"plies":2,"pair":0,
//	 "opening":"bbBbb/… 0 9,7 15,4 13 2","games":[{"first":"a","outcome":"second","actions":["9 A1B2",…]},{"first":"b",…}]}
//
// A match is identified by its players, its seed, the number of random plies in its openings, and
// the required balance of the openings. If the same match is requested again, only its missing
// pairs are played. Pairs count in the order of their numbers, up to the first missing one.
type MatchLog struct {
	Game string // name of the game

	file    journal.Journal
	order   []matchKey                  // the matches, in the order in which they began
	matches map[matchKey]map[int]Played // the pairs of each match, by number
}

func newMatchLog(game, path string) *MatchLog {
	return &MatchLog{Game: game, file: journal.Journal{Path: path}, matches: map[matchKey]map[int]Played{}}
}

// id returns a text that identifies a player. If the player uses a model, the id consists of the
// model's hash, its search constants, and the changes and the budget in the player's name. The id
// does not contain the model's path, because the best model of a run changes over time. id looks
// only at the name and never at the file system: which player a logged game belongs to must not
// depend on which files exist.
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

// Same reports whether two contestants are the same player. Games between them say nothing about
// strength.
func (c Contestant) Same(other Contestant) bool { return c.id() == other.id() }

// A matchKey identifies a match. a and b identify the two players (see Contestant.id), in ascending
// order.
type matchKey struct {
	a, b     string
	seed     uint64
	plies    int
	balanced float32
}

// Played is a pair of games in a match log.
type Played struct {
	A       Contestant   `json:"a"`
	B       Contestant   `json:"b"`
	Seed    uint64       `json:"seed"`
	Plies   int          `json:"plies"`   // number of random plies in the opening
	Pair    int          `json:"pair"`    // number of the pair in the match
	Opening string       `json:"opening"` // the position after the random plies
	Games   []PlayedGame `json:"games"`   // two games, with sides swapped

	// Balanced is the Edge of the match's Options.Balanced, or 0 if no balance is required.
	Balanced float32 `json:"balanced,omitempty"`
}

// PlayedGame is one game of a pair. It starts from the pair's opening.
type PlayedGame struct {
	First string `json:"first"` // the player, "a" or "b", that moved first
	Record
}

// key returns the key of the match to which the pair belongs.
func (p Played) key() matchKey {
	m := matchKey{p.A.id(), p.B.id(), p.Seed, p.Plies, p.Balanced}
	if m.a > m.b {
		m.a, m.b = m.b, m.a
	}
	return m
}

// add adds a pair unless the log already has it. The file contains a pair twice if two programs
// played the same match and wrote to the file at the same time.
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

// played returns a Played with only those fields set that are the same for all pairs of the match.
func (o *Options) played() Played {
	p := Played{A: o.A, B: o.B, Seed: o.Seed, Plies: o.OpeningPlies}
	if o.Balanced != nil {
		p.Balanced = o.Balanced.Edge
	}
	return p
}

// record adds a newly played pair of a match to the log and writes it to the file.
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

// pairs returns the pairs of a match by number. Contestant a is player A in all of these records,
// even if the log calls that player b.
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

// result returns the result of a match, with contestant a as player A.
func (l *MatchLog) result(m matchKey, a Contestant) Result {
	count := newStanding()
	pairs := l.pairs(m, a)
	for n := 0; pairs[n] != nil; n++ {
		count.add(pairs[n])
	}
	return count.Result
}

// Rungs rates all players of the log together, and returns one Rung of the ladder per player. A
// game that repeats an earlier game of its match does not count.
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
