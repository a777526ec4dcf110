package propose

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/scratch"
	"dojo.example/model"
)

// A set is a list of features, together with the width of the network that reads it and the choice
// whether its policy reads the features of actions.
type set struct {
	game       engine.Game // the game with these features
	columns    int
	actionRows bool
}

func (s set) String() string {
	text := fmt.Sprintf("%s with %d columns", s.game.Name, s.columns)
	if !s.actionRows {
		text += " and no action rows"
	}
	return text
}

// An entrant is a set with a model that was trained with it, and the measurements of its run.
type entrant struct {
	set
	model *model.Checkpoint // nil if no run of this set was completed
	units cost.Units
	plies float64 // mean number of plies per game in the last generation
}

// A Player is a trained model in a match; see Options.Compare.
type Player struct {
	Name        string
	Model       *model.Checkpoint
	Simulations int // number of simulations for each move
}

const (
	trialRuns  = 6    // largest number of sets that are tried
	trialShare = 0.85 // share of the time for the runs; the rest is for the matches

	// A trial tries fewColumns columns for runs of up to shortRun, and moreColumns for longer runs. Its
	// own runs cannot show that narrow networks learn faster but stop earlier: in Connect Four, a
	// network of 64 columns was no better after 12 minutes on two cores than after one.
	fewColumns, moreColumns = 64, 128
	shortRun                = 5 * time.Minute

	// A trial needs time for fewGenerations generations of fewPositions positions with the game as
	// named. Generations are larger if there is time for manyGenerations of them.
	fewGenerations, manyGenerations, fewPositions = 8, 16, 1_000

	// fewGames and mostGames limit the number of games in a match.
	fewGames, mostGames = 100, 400

	// simulations is the number of simulations of the slower player in a match.
	simulations = 64

	// clearScore is the score that a set needs to replace a simpler one. Two runs with equal
	// settings and different seeds differ by about 35 Elo by chance, and 60 % are 70 Elo. A set
	// also needs a 95 % interval above 50 %.
	clearScore = 0.6
)

// A trial finds out which set of features suits a game. It trains a model with each set, each for
// the same processor time, and lets the models play against each other.
type trial struct {
	opt    Options
	runs   settings      // settings of the runs
	narrow int           // number of columns that the trial tries besides the usual number
	share  time.Duration // processor time of each run
	games  int           // number of games of each match

	generations int      // number of generations in all runs so far
	tried       []string // describes each run and its match, in one line
}

// newTrial returns a trial for the game with settings s, given the costs that the pilot measured. It
// reports whether the time is long enough for a meaningful trial.
func newTrial(opt Options, s settings, units cost.Units) (t trial, enough bool) {
	budget := float64(min(3*time.Minute, opt.For/10)) * float64(s.Cores)
	t = trial{opt: opt, runs: s, narrow: fewColumns, share: time.Duration(budget * trialShare / trialRuns)}
	if opt.For > shortRun {
		t.narrow = moreColumns
	}
	game := float64(units.Game) * simulations / float64(s.Gate.Simulations)
	t.games = min(mostGames, 2*int(budget*(1-trialShare)/(trialRuns-1)/game/2))
	most, sims := s.Selfplay.Games, s.MCTS.Simulations
	// The learning rate stays high, and the stages do not overlap; see pilot.measure.
	t.runs.Train.Generations, t.runs.Train.Lag = 10_000, 0
	fits := func(games, generations int) bool {
		t.runs.setSize(sims, games)
		t.runs.Gate.Games = games / 2 // as in a preset, self-play costs more than the gate
		return units.Charge(t.runs.work())*time.Duration(generations) <= t.share
	}
	games := 8
	for float64(games)*s.Length < fewPositions {
		games *= 2
	}
	for games < most && fits(2*games, manyGenerations) {
		games *= 2
	}
	return t, fits(games, fewGenerations) && t.games >= fewGames
}

// find returns the best set. It begins with the game as named and the usual width, the simplest
// choice. Another set replaces the best set so far only if it wins clearly. So chance rarely decides
// against a simpler set.
func (t *trial) find(ctx context.Context) (best entrant, err error) {
	dir, remove, err := scratch.Folder("trial")
	if err != nil {
		return best, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	usual := t.runs.Network.Sparse.Columns
	if best, err = t.train(ctx, dir, set{t.opt.Game, usual, true}); err != nil || best.model == nil {
		return best, err
	}
	try := func(s set) {
		if err == nil {
			best, err = t.challenge(ctx, dir, best, s)
		}
	}
	try(set{t.opt.Game, t.narrow, true})
	for _, game := range t.opt.Variants {
		try(set{game, t.narrow, true})
	}
	if best.columns == t.narrow && best.game.Name != t.opt.Game.Name {
		try(set{best.game, usual, true})
	}
	if best.game.PerAction > 0 {
		try(set{best.game, best.columns, false})
	}
	return best, err
}

// challenge trains a model with set s. The model plays against the best one so far. challenge
// returns the winner.
func (t *trial) challenge(ctx context.Context, dir string, best entrant, s set) (entrant, error) {
	e, err := t.train(ctx, dir, s)
	if err != nil || e.model == nil {
		return best, err
	}
	a, b := players(e, best)
	score, low, err := t.opt.Compare(ctx, a, b, t.games)
	if err != nil {
		return best, err
	}
	result := &t.tried[len(t.tried)-1]
	*result += fmt.Sprintf("; %.0f %% of the points against %s", 100*score, best.set)
	if score < clearScore || low <= 0.5 {
		return best, nil
	}
	*result += ": better"
	return e, nil
}

// players returns the players of a match with about equal processor time: the number of simulations
// is in inverse proportion to the cost of a simulation in the runs. With equal simulations, the
// result would favour slow networks, but bots usually play with limited time. The ratio is at most 4.
func players(a, b entrant) (x, y Player) {
	budget := min(max(a.units.Simulation, b.units.Simulation), 4*min(a.units.Simulation, b.units.Simulation))
	player := func(e entrant) Player {
		return Player{e.String(), e.model, max(simulations, int(simulations*budget/e.units.Simulation))}
	}
	return player(a), player(b)
}

// train trains a model with a set until its processor time is used up, and describes the run in
// tried. If the run has no generation in which a model plays by then, the entrant has no model.
func (t *trial) train(ctx context.Context, dir string, s set) (entrant, error) {
	e := entrant{set: s}
	opt := t.opt
	opt.Progress = func(generations int, _ string) { t.opt.Progress(t.generations+generations, s.String()) }
	run := t.runs
	run.use(s)
	p := pilot{opt: opt, full: run, budget: t.share, end: opt.Clock() + t.share}
	folder := rundir.Folder(filepath.Join(dir, strconv.Itoa(len(t.tried))))
	units, _, err := p.run(ctx, folder, run, true)
	t.generations += p.generations
	t.tried = append(t.tried, fmt.Sprintf("%s: %d generations", s, p.generations))
	if err != nil && !errors.Is(err, errLate) {
		return e, fmt.Errorf("trial of %s: %w", s, err)
	}
	if err != nil || units.Simulation == 0 {
		t.tried[len(t.tried)-1] += ", too slow"
		return e, nil
	}
	name, err := folder.Best()
	if err != nil {
		return e, err
	}
	e.units, e.plies, e.model = units, p.plies, p.start
	if name != model.NoModel {
		e.model, err = model.Load(folder.Model(name))
	}
	return e, err
}

// use changes the settings to those of a set.
func (s *settings) use(x set) {
	s.Game, s.Features = x.game.Name, x.game.Features
	s.Network.Sparse.Columns, s.Network.ActionRows = x.columns, x.actionRows
}

// choose tries sets of features if the game has several and the time suffices. It changes the
// settings to those of the best set. It returns the costs of a run with the chosen settings; units
// are the costs with the settings so far.
func (s *settings) choose(ctx context.Context, opt Options, units cost.Units) (cost.Units, error) {
	if len(opt.Variants) == 0 {
		return units, nil
	}
	t, enough := newTrial(opt, *s, units)
	if s.Untried = !enough; s.Untried {
		return units, nil
	}
	t.generations = s.Pilot
	best, err := t.find(ctx)
	s.Tried, s.Share = t.tried, t.share.Seconds()
	if err != nil || best.model == nil || best.game.Name == s.Game && best.columns == s.Network.Sparse.Columns && best.actionRows {
		return units, err
	}
	s.use(best.set)
	s.Pilot, s.Length = t.generations, best.plies
	played := 0
	f, err := Measure(ctx, best.game, 1, func() bool { played++; return played > 20 })
	s.Facts.Active = f.Active
	return best.units, err
}
