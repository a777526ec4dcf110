package arena

import (
	"context"
	"fmt"
	"strings"

	"dojo.example/internal/journal"
)

// A MatchLog stores the games of matches between any number of players of one game, and
// further matches can be added. It may have a file: a line of JSON that names the game, and a
// line for each pair of games, which is written as soon as the pair has been played, so that
// little is lost when the program is killed.
//
//	{"ledger":1,"game":"onitama"}
//	{"a":{"player":"runs/x:64","model":"5f0c…"},"b":{"player":"mcts:1000"},"seed":1,"plies":2,"pair":0,
//	 "opening":"bbBbb/… 0 9,7 15,4 13 2","games":[{"first":"a","outcome":"second","actions":["9 A1B2",…]},{"first":"b",…}]}
//
// A match is identified by its players, its seed and the number of random plies in its
// openings. When the same match is requested again, only the missing pairs are played.
type MatchLog struct {
	Game string // its name

	file    journal.Journal
	order   []matchKey            // the matches, in the order in which they were begun
	matches map[matchKey][]Played // by pair
}

func newMatchLog(game, path string) *MatchLog {
	return &MatchLog{Game: game, file: journal.Journal{Path: path}, matches: map[matchKey][]Played{}}
}

// id identifies a player. The id of a model has its hash and its budget, but not its path,
// because the best model of a run changes.
func (c Contestant) id() string {
	if c.Model == "" {
		return c.Player
	}
	m, err := splitModel(c.Player)
	if err != nil {
		return c.Model + c.Player
	}
	return c.Model + strings.TrimPrefix(c.Player, m.path)
}

// Same reports whether two names stand for the same player, whose rating relative to itself
// says nothing.
func (c Contestant) Same(other Contestant) bool { return c.id() == other.id() }

// A matchKey identifies a match. a and b are the ids of its players, in ascending order.
type matchKey struct {
	a, b  string
	seed  uint64
	plies int
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
}

// PlayedGame is a game of a pair; its opening is the pair's.
type PlayedGame struct {
	First string `json:"first"` // who played first: "a" or "b"
	Record
}

// key identifies the match of the pair.
func (p Played) key() matchKey {
	m := matchKey{p.A.id(), p.B.id(), p.Seed, p.Plies}
	if m.a > m.b {
		m.a, m.b = m.b, m.a
	}
	return m
}

// add adds a pair, unless the log has it: two programs that added to the file at the same
// time may both have played it. It is an error if an earlier pair of the match is missing.
func (l *MatchLog) add(p Played) error {
	m := p.key()
	switch n := len(l.matches[m]); {
	case p.Pair > n:
		return fmt.Errorf("it is pair %d of %s against %s, and pair %d is missing: restore its line, or remove all lines of this match", p.Pair, p.A.Player, p.B.Player, n)
	case p.Pair == n:
		if n == 0 {
			l.order = append(l.order, m)
		}
		l.matches[m] = append(l.matches[m], p)
	}
	return nil
}

// match plays the games of a match that are not in the log, and returns the result of all
// games of the match that are then in it, which may be more than o.Games.
func (l *MatchLog) match(ctx context.Context, o Options) (Result, error) {
	pair := Played{A: o.A, B: o.B, Seed: o.Seed, Plies: o.OpeningPlies}
	m := pair.key()
	o.Skip, o.Log = len(l.matches[m]), nil
	show := o.Records
	o.Records = func(r Record) error {
		if show != nil {
			if err := show(r); err != nil {
				return err
			}
		}
		pair.Pair, pair.Opening, r.Opening = r.Pair, r.Opening, ""
		pair.Games = append(pair.Games, PlayedGame{map[bool]string{true: "a", false: "b"}[r.AFirst], r})
		if len(pair.Games) < 2 {
			return nil
		}
		played := pair
		pair.Games = nil
		return l.append(played)
	}
	if 2*o.Skip < o.Games {
		if _, err := Match(ctx, o); err != nil {
			return Result{}, err
		}
	}
	return l.result(m, o.A), nil
}

// result returns the result of a match from the side of its player a.
func (l *MatchLog) result(m matchKey, a Contestant) Result {
	count := newStanding()
	for _, p := range l.matches[m] {
		var pair []Record
		for _, g := range p.Games {
			g.Opening, g.AFirst = p.Opening, (g.First == "a") == (p.A.id() == a.id())
			pair = append(pair, g.Record)
		}
		count.add(pair)
	}
	return count.Result
}

// Rungs rates all players of the log together. Games that repeat another of their
// match count once.
func (l *MatchLog) Rungs() []Rung {
	var meetings []Meeting
	named := map[string]Contestant{}
	for _, m := range l.order {
		first := l.matches[m][0]
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
