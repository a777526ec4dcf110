package propose

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/data/rundir"
	"dojo.example/internal/scratch"
	"dojo.example/model"
)

// A pilot uses short training runs to measure the cost of each kind of work in a run. The first run
// is the smallest possible one. Each later run is larger than the one before it, by the factor that
// the remaining time allows, given the costs of the last run. The factor is at most the constant
// growth. The pilot ends when a run has reached the size of the preset, or when half of the time is
// used up. The cost of a run grows no faster than its work, so the runs stay within the available
// time for any game.
//
// Every run except the first begins with the model that the run before it trained. So a model plays
// in all generations whose costs count.
type pilot struct {
	opt    Options
	full   settings      // settings of the preset that is being written
	end    time.Duration // value of the Clock at which the pilot must end
	budget time.Duration // CPU time that the pilot may take

	generations int     // number of generations in all runs so far
	plies       float64 // mean number of plies per game in the last generation
	start       *model.Checkpoint
}

const (
	growth         = 16 // largest factor between the work of one run and of the next
	fewSimulations = 2  // number of simulations in the smallest run, which has a single game
)

// errLate stops a pilot run that takes much longer than the previous run suggested.
var errLate = errors.New("the run takes too long")

// measure returns the costs that were measured in the largest completed run.
func (p *pilot) measure(ctx context.Context) (units cost.Units, err error) {
	dir, remove, err := scratch.Folder("pilot")
	if err != nil {
		return units, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	s := p.full
	// With this many configured generations, the learning rate stays high. Without lag, the stages
	// do not overlap, so the time of each one can be measured.
	s.Train.Generations, s.Train.Lag = 10_000, 0
	s.Length = s.Facts.Plies
	s.setSize(fewSimulations, 1)
	for i := 0; ; i++ {
		found, took, err := p.run(ctx, rundir.Folder(filepath.Join(dir, strconv.Itoa(i))), s, i > 1)
		if errors.Is(err, errLate) {
			return units, nil
		}
		if err != nil {
			return units, err
		}
		units, s.Length = found, p.plies
		left := p.end - p.opt.Clock()
		if !s.grow(p.full, float64(left)/2/float64(took)) && i > 0 {
			return units, nil
		}
	}
}

// grow multiplies the size of a run by factor, but not beyond the size in full. It adds simulations
// first and then games. It reports whether the run has become larger.
func (s *settings) grow(full settings, factor float64) bool {
	factor = min(growth, factor)
	simulations, games, most := s.MCTS.Simulations, s.Selfplay.Games, full.Selfplay.Games
	n, more := min(full.MCTS.Simulations, int(float64(simulations)*factor)), games
	for factor *= float64(simulations) / float64(n); factor >= 2 && more < most; factor /= 2 {
		more = min(most, 2*more)
	}
	if factor < 1 || n < 2*simulations && n < full.MCTS.Simulations && more == games {
		return false
	}
	s.setSize(n, more)
	return n > simulations || more > games
}

// setSize sets the size of a run's self-play and of its gate match.
func (s *settings) setSize(simulations, games int) {
	s.MCTS.Simulations = simulations
	s.setGames(games)
	s.Gate.Games, s.Gate.Simulations = min(80, 2*games), min(32, simulations)
}

// run trains in the given folder. It returns the cost of each kind of work, and the processor time
// per generation. A run that is smaller than the preset ends after one generation. A run of the
// preset's size continues until the time is used up. If limited is true, the run ends with errLate
// once the pilot has used twice its time.
func (p *pilot) run(ctx context.Context, folder rundir.Folder, s settings, limited bool) (units cost.Units, took time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := s.Config
	c.Gate.Ladder, c.Train.Optimiser.Batch = 0, power(s.Positions()/2, 16, 1024)
	prepared, err := configs.Frozen{Name: "pilot", Config: c}.Prepare(folder, p.start)
	if err != nil {
		return units, 0, err
	}
	m := &cost.Meter{Config: c, Clock: p.opt.Clock}
	m.Done = func() {
		p.generations++
		p.opt.Progress(p.generations, "")
	}
	m.Unit = func() {
		if limited && p.opt.Clock() > p.end+p.budget {
			cancel(errLate)
		}
	}
	prepared.Options.Workers, prepared.Options.Report = p.opt.Workers, m
	r, err := prepared.Open()
	if err != nil {
		return units, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	began, full := p.opt.Clock(), s.Selfplay.Games == p.full.Selfplay.Games && s.MCTS.Simulations == p.full.MCTS.Simulations
	for n := 1; ; n++ {
		if err := r.Generation(ctx); err != nil {
			return units, 0, err
		}
		now := p.opt.Clock()
		took = max(1, (now-began)/time.Duration(n))
		if !full || now+took > p.end || n == s.Train.Generations {
			break
		}
	}
	p.plies = m.Plies
	units = m.Least
	// Convert the cost to the preset's gate, which may use more simulations than this run's gate.
	units.Game = units.Game * time.Duration(p.full.Gate.Simulations) / time.Duration(s.Gate.Simulations)
	if ctx.Err() != nil {
		return units, 0, context.Cause(ctx)
	}
	p.start, err = model.Load(folder.Model(rundir.ModelName(r.Generations() - 1)))
	return units, took, err
}
