package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"dojo.example/arena"
)

const (
	// LadderRungs is the approximate number of models of a run that are rated, evenly spaced.
	LadderRungs = 16

	// LadderOpponents is the largest number of matches that a rated model plays: up to three rivals
	// and the mark.
	LadderOpponents = 4

	// mostLadderGames is the largest number of games in a match of the ladder.
	mostLadderGames = 1_000_000

	// LadderSimulations is the number of simulations per move in the matches of the ladder.
	LadderSimulations = 64
)

// LadderResult holds the matches that the best model after a generation played against earlier
// models and against a fixed player. The number of games is fixed, and the results do not decide
// which model is the best. Ratings fitted to the matches ([arena.Ladder]) are therefore not biased
// upwards. Sums of gate results are biased, because only promoted models count in them. Only some
// generations have matches of the ladder; see Gate.Ladder.
type LadderResult struct {
	Meetings []arena.Meeting `json:"meetings"` // player A of each match is the best model
	Seconds  float64         `json:"seconds"`
}

// check returns an error if a match has an impossible result. Such a match cannot be rated.
func (l LadderResult) check() error {
	for _, m := range l.Meetings {
		if !(m.Games >= 0 && m.Games <= mostLadderGames && m.Points >= 0 && m.Points <= m.Games) {
			return fmt.Errorf("a match of the ladder with %g points in %g games, which is impossible", m.Points, m.Games)
		}
	}
	return nil
}

// ladder plays the generation's matches of the ladder.
func (r *Run) ladder(ctx context.Context, m *Metrics) error {
	start := time.Now()
	opponents, err := r.opponents(m)
	if err != nil || len(opponents) == 0 {
		return err
	}
	player, err := r.opt.rung(m.Best)
	if err != nil {
		return fmt.Errorf("ladder: %w", err)
	}
	games := r.opt.Gate.Ladder
	report := r.opt.Report.Stage(m.Generation, "ladder", games*len(opponents))
	for i, b := range opponents {
		meeting, err := r.meet(ctx, m.Generation, i, player, b, func(done int) { report(i*games+done, "against "+b.Player) })
		if err != nil {
			return err
		}
		m.Ladder.Meetings = append(m.Ladder.Meetings, meeting)
	}
	m.Ladder.Seconds = time.Since(start).Seconds()
	return nil
}

// meet plays the i-th match of a generation's ladder. It calls progress with the number of games
// that have ended.
func (r *Run) meet(ctx context.Context, generation, i int, a, b arena.Contestant, progress func(done int)) (arena.Meeting, error) {
	result, err := arena.Match(ctx, arena.Options{
		Game: r.opt.Game.Game, A: a, B: b, Games: r.opt.Gate.Ladder,
		Seed:         r.opt.Seed ^ (streamLadder + uint64(generation)<<8 + uint64(i)),
		OpeningPlies: r.opt.Gate.OpeningPlies, Again: true, Workers: r.opt.Workers,
		Progress: func(done int, _ arena.Result) { progress(done) },
	})
	if err != nil {
		return arena.Meeting{}, fmt.Errorf("ladder: %w", err)
	}
	return result.Meeting(a.Player, b.Player), nil
}

// rivals returns the models that the best model after generation m meets in the ladder. done holds
// the generations before m. There are no rivals if the ladder skips the generation, or if its best
// model has been rated before. Otherwise the rivals are the last two rated models and the model at
// half the list of rated models. The model that the run started from counts as rated.
func (o *Options) rivals(done []Metrics, m *Metrics) (names []string) {
	step := (o.Train.Generations + LadderRungs - 1) / LadderRungs
	if o.Gate.Ladder == 0 || m.Generation%step != 0 && m.Generation != o.Train.Generations-1 {
		return nil
	}
	rated := []string{o.best(nil)}
	for _, before := range done {
		if len(before.Ladder.Meetings) > 0 {
			rated = append(rated, before.Best)
		}
	}
	if slices.Contains(rated, m.Best) {
		return nil
	}
	n := len(rated)
	numbers := []int{n - 1, max(0, n-2), n / 2}
	slices.Sort(numbers)
	for _, i := range slices.Compact(numbers) {
		names = append(names, rated[i])
	}
	return names
}

// opponents returns the opponents of the best model after the generation: its rivals and the run's
// mark. It omits models whose file was removed.
func (r *Run) opponents(m *Metrics) (opponents []arena.Contestant, err error) {
	rivals := r.opt.rivals(r.done, m)
	if len(rivals) == 0 {
		return nil, nil
	}
	for _, name := range rivals {
		player, err := r.opt.rung(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("ladder: %w", err)
		default:
			opponents = append(opponents, player)
		}
	}
	if r.opt.Mark != nil {
		opponents = append(opponents, *r.opt.Mark)
	}
	return opponents, nil
}

// rung returns a model of the run as a player of the ladder.
func (o *Options) rung(name string) (c arena.Contestant, err error) {
	e, err := o.evaluator(name)
	if err != nil {
		return c, err
	}
	search := o.Search
	search.Simulations = LadderSimulations
	return arena.Net(name, o.Game, e, search), nil
}

// A Strength is the rating of the best model after a generation, with its 95 % interval. Ratings
// are Elo differences to the player of the ladder that [Strengths] returns as zero.
type Strength struct {
	Generation int     `json:"generation"`
	Elo        float64 `json:"elo"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// Strengths rates all models of a run's ladder together. zero is the player whose rating is 0: the
// last mark, or without a mark the model that the run started from. If the ladder has no matches,
// there are no ratings.
func Strengths(done []Metrics) (zero string, all []Strength) {
	var meetings []arena.Meeting
	generation := map[string]int{} // generation of each rated model of the run
	for _, m := range done {
		if len(m.Ladder.Meetings) > 0 {
			generation[m.Best] = m.Generation
		}
		meetings = append(meetings, m.Ladder.Meetings...)
	}
	if len(meetings) == 0 {
		return "", nil
	}
	zero = done[0].Player
	for _, m := range meetings {
		if _, ours := generation[m.B]; !ours && m.B != done[0].Player {
			zero = m.B
		}
	}
	// arena.Ladder sets the rating of player B in the first match to 0.
	first := slices.IndexFunc(meetings, func(m arena.Meeting) bool { return m.B == zero })
	meetings[0], meetings[first] = meetings[first], meetings[0]
	for _, r := range arena.Ladder(meetings) {
		if g, ours := generation[r.Player]; ours && r.Group == 0 {
			all = append(all, Strength{g, r.Elo, r.EloLow, r.EloHigh})
		}
	}
	slices.SortFunc(all, func(a, b Strength) int { return a.Generation - b.Generation })
	return zero, all
}
