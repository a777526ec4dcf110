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
	// LadderRungs is the approximate number of a run's models that the ladder rates. They are
	// evenly spaced over the run.
	LadderRungs = 16

	// LadderOpponents is the largest number of ladder matches that a rated model plays: up to three
	// against earlier models, and one against the mark (a fixed player).
	LadderOpponents = 4

	// mostLadderGames is the largest number of games in one ladder match.
	mostLadderGames = 1_000_000

	// LadderSimulations is the number of simulations for each move in ladder matches.
	LadderSimulations = 64
)

// LadderResult holds the ladder matches after a generation. In these matches, the best model plays
// against earlier models and against a fixed player. The number of games is fixed, and the results
// do not decide which model is the best. Therefore, ratings fitted to these matches
// ([arena.Ladder]) are not biased upwards. In contrast, the sum of the gates' results is biased,
// because only models that have won their gate count in it. Only some generations have ladder
// matches; see Gate.Ladder.
type LadderResult struct {
	Meetings []arena.Meeting `json:"meetings"` // in each match, player A is the best model
	Seconds  float64         `json:"seconds"`
}

// check returns an error if a match has an impossible result, because such a match cannot be rated.
func (l LadderResult) check() error {
	for _, m := range l.Meetings {
		if !(m.Games >= 0 && m.Games <= mostLadderGames && m.Points >= 0 && m.Points <= m.Games) {
			return fmt.Errorf("a match of the ladder with %g points in %g games, which is impossible", m.Points, m.Games)
		}
	}
	return nil
}

// ladder is the stage ladder. It plays the ladder matches of the generation.
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

// meet plays ladder match i of a generation, between the players a and b. It calls progress with
// the number of games that have ended.
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

// rivals returns the names of the earlier models that the best model after generation m plays
// against in ladder matches. done holds the generations before m. If the ladder skips the
// generation, or if the best model has already been rated, there are no rivals. Otherwise the
// rivals are the last two rated models and the model in the middle of the list of rated models. The
// model from which the run started counts as rated.
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

// opponents returns the opponents of the best model in the ladder matches after the generation: its
// rivals and the run's mark. It leaves out models whose file has been removed.
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

// rung returns the run's model with the given name as a player in ladder matches.
func (o *Options) rung(name string) (c arena.Contestant, err error) {
	e, err := o.evaluator(name)
	if err != nil {
		return c, err
	}
	search := o.Search
	search.Simulations = LadderSimulations
	return arena.Net(name, o.Game, e, search), nil
}

// A Strength is the rating of the best model after a generation, with a 95 % confidence interval. A
// rating is in Elo, relative to the player that [Strengths] returns as zero.
type Strength struct {
	Generation int     `json:"generation"`
	Elo        float64 `json:"elo"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// Strengths rates all models in a run's ladder matches together. zero is the name of the player
// whose rating is 0. This is the last mark, or if there is none, the model from which the run
// started. If there are no ladder matches, Strengths returns no ratings.
func Strengths(done []Metrics) (zero string, all []Strength) {
	var meetings []arena.Meeting
	generation := map[string]int{} // for each rated model of the run: its generation
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
	// arena.Ladder gives the rating 0 to player B of the first match, so a match against zero must
	// come first.
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
