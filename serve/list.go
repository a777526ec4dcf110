package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/play/analysis"
)

// The sources of games: the values of the query parameter "source".
const (
	selfplaySource = "selfplay"
	gateSource     = "gate"
)

// Listed is an entry in a list of games.
type Listed struct {
	Source     string `json:"source" ts:"'selfplay' | 'gate'"`
	Generation int    `json:"generation"`
	Number     int    `json:"number"` // number of the game in its generation and source
	First      string `json:"first"`  // model that played as the player First
	Second     string `json:"second"`
	Outcome    string `json:"outcome" ts:"Exclude<Outcome, 'ongoing'>"`
	Length     int    `json:"length"` // number of actions in the game

	// Swing and Surprise come from the self-play searches. They are null for games of gate matches,
	// for which only the actions are stored.
	Swing *float32 `json:"swing"` // largest change of the value in one step
	// Surprise is the mean of |value − outcome|, from 0 to 2. It is large if the searches did not
	// foresee the outcome.
	Surprise *float32 `json:"surprise"`

	// Turn is the number of actions before the most interesting position: the position after the
	// largest change of the value. For a game of a gate match, it is the last position. Board is
	// the position after Turn actions; it is set only if the request asked for boards.
	Turn  int                `json:"turn"`
	Board *analysis.Position `json:"board,omitempty"`
}

// GameList is one page of the list of a run's games.
type GameList struct {
	Source      string   `json:"source"`
	Generation  string   `json:"generation"`  // a number, or "all"
	Generations []int    `json:"generations"` // generations with games of the source, in order
	Total       int      `json:"total"`       // number of games in the whole list
	Offset      int      `json:"offset"`      // index of Games[0] in the whole list
	Games       []Listed `json:"games"`

	// Read is the number of generations that the list covers so far, counted from the newest.
	// Reading all generations takes time. The client repeats the request until the list is
	// complete, and each time the server reads more.
	Read int `json:"read"`
	// Left is the number of old generations that are left out, because a list has at most
	// [MaxListed] games.
	Left int `json:"left"`
}

// Limits on answers with lists of games.
const (
	MaxListed = 200_000         // number of games in a list
	MaxPage   = 200             // number of games in an answer
	MaxBoards = 50              // number of games in an answer with boards
	readTime  = 2 * time.Second // maximum time for reading files per answer
)

// listing holds the parameters of a request for a list of games.
type listing struct {
	source        string
	generation    string // "newest", "all" or the number of a generation
	sort, order   string
	winner, lost  string
	boards        bool
	offset, limit int
}

// parseListing parses the query part of a request's URL.
func parseListing(q url.Values) (l listing, err error) {
	either := func(key string, values ...string) string { // values[0] is the default
		v := cmp.Or(q.Get(key), values[0])
		if !slices.Contains(values, v) {
			err = fmt.Errorf("%s is %q, but must be one of %q", key, v, values)
		}
		return v
	}
	number := func(key, otherwise string, most int) int {
		n, bad := strconv.Atoi(cmp.Or(q.Get(key), otherwise))
		if bad != nil || n < 0 || n > most {
			err = fmt.Errorf("%s is %q, but must be a number from 0 to %d", key, q.Get(key), most)
		}
		return n
	}
	l = listing{
		source: either("source", selfplaySource, gateSource), generation: cmp.Or(q.Get("generation"), "newest"),
		sort: either("sort", "number", "length", "swing", "surprise"), order: either("order", "up", "down"),
		winner: either("winner", "", "first", "second", "draw"), lost: either("lost", "", "candidate"),
		boards: either("boards", "", "true") != "", offset: number("offset", "0", MaxListed), limit: number("limit", "50", MaxPage),
	}
	if l.boards && l.limit > MaxBoards {
		err = fmt.Errorf("limit is %d, but must be at most %d in a list with boards", l.limit, MaxBoards)
	}
	if l.generation != "newest" && l.generation != "all" {
		number("generation", "", math.MaxInt32)
	}
	return l, err
}

// wants reports whether the filters of l accept a game.
func (l listing) wants(g Listed) bool {
	loser := map[string]string{engine.FirstWins.String(): g.Second, engine.SecondWins.String(): g.First}[g.Outcome]
	return (l.winner == "" || g.Outcome == l.winner) && (l.lost == "" || loser == rundir.ModelName(g.Generation))
}

// key returns the number by which l sorts the game g.
func (l listing) key(g Listed) (key float32) {
	switch l.sort {
	case "length":
		key = float32(g.Length)
	case "swing":
		key = orLowest(g.Swing)
	case "surprise":
		key = orLowest(g.Surprise)
	}
	if l.order == "down" {
		key = -key
	}
	return key
}

// orLowest returns *x, or −∞ if x is nil, so that unknown values are sorted below all others.
func orLowest(x *float32) float32 {
	if x == nil {
		return float32(math.Inf(-1))
	}
	return *x
}

func (s *Server) getGames(r *http.Request) (any, error) {
	run, err := s.requestedRun(r)
	if err != nil {
		return nil, err
	}
	l, err := parseListing(r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, err := s.list(r.Context(), &run, l)
	if err == nil && l.boards {
		err = run.addBoards(list.Games)
	}
	return list, err
}

var errNoGames = statusError{errors.New("not found"), http.StatusNotFound}

// list returns the page of the run's games that l asks for.
func (s *Server) list(ctx context.Context, w *watched, l listing) (*GameList, error) {
	have, err := generationsOf(w.folder, l.source)
	if err != nil {
		return nil, err
	}
	list := &GameList{Source: l.source, Generations: have, Generation: "all", Offset: l.offset, Games: []Listed{}}
	wanted := have
	if n, err := strconv.Atoi(l.generation); err == nil {
		if wanted = []int{n}; !slices.Contains(have, n) {
			return nil, fmt.Errorf("generation %d: %w", n, errNoGames)
		}
	} else if l.generation == "newest" {
		wanted = have[max(0, len(have)-1):]
	}
	if l.generation != "all" && len(wanted) > 0 {
		list.Generation = strconv.Itoa(wanted[0])
	}
	games, err := s.collect(ctx, w, l, wanted, list)
	if err != nil {
		return nil, err
	}
	games = slices.DeleteFunc(games, func(g Listed) bool { return !l.wants(g) })
	slices.SortStableFunc(games, func(x, y Listed) int { return cmp.Compare(l.key(x), l.key(y)) })
	list.Total = len(games)
	from := min(l.offset, len(games))
	list.Games = append(list.Games, games[from:min(from+l.limit, len(games))]...)
	return list, nil
}

// collect reads the games of the given generations, newest generation first, until it has read all
// or readTime has passed. It returns the games in the order of their numbers, and sets list.Read
// and list.Left.
func (s *Server) collect(ctx context.Context, w *watched, l listing, generations []int, list *GameList) (games []Listed, err error) {
	began := time.Now()
	for i, g := range slices.Backward(generations) {
		if len(games) > MaxListed {
			list.Left = i + 1
			break
		}
		if list.Read > 0 && time.Since(began) > readTime {
			break
		}
		more, err := s.gamesOf(ctx, w, l.source, g)
		if err != nil {
			return nil, err
		}
		games = append(slices.Clone(more), games...)
		list.Read++
	}
	return games, nil
}

// addBoards sets the field Board of the listed games.
func (w *watched) addBoards(all []Listed) error {
	for i, g := range all {
		k, err := w.find(g.Source, g.Generation, g.Number)
		if err != nil {
			return err
		}
		shown := k.play.ShowAfter(g.Turn)
		shown.Legal = []string{}
		all[i].Board = &shown
	}
	return nil
}
