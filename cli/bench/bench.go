// Package bench measures how fast a machine is. Its benchmarks cover arithmetic, networks,
// searches, self-play and training, and have names such as selfplay/onitama/1.
//
// Each figure is the median of five repetitions after a warm-up. Some figures are also given as a
// share of the machine's peak arithmetic speed, which is measured in the same run.
package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"dojo.example/configs"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/model/kernel"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// A Benchmark measures the speed of some kind of work.
type Benchmark struct {
	name, unit string
	// make prepares the work and returns a function that does some of it. Each call of that
	// function returns how many units of work it did.
	make func() func() float64

	peak       string  // name of the benchmark that measures the arithmetic peak, or ""
	operations float64 // arithmetic operations per unit, if peak is set
}

// Result is a benchmark's result.
type Result struct {
	Name   string   `json:"name"`
	Value  float64  `json:"value"` // units per second, the median of the repetitions
	Unit   string   `json:"unit"`
	OfPeak *float64 `json:"of_peak,omitempty"` // share of the arithmetic peak measured in the same run

	Kernels string `json:"kernels"`      // instruction set of the float kernels
	Quant   string `json:"kernels_int8"` // instruction set of the 8-bit kernels
}

const (
	repetitions = 5                      // number of repetitions after the warm-up
	repeatFor   = 300 * time.Millisecond // shortest duration of a repetition
)

// A NameError is an error for a name or a setting that selects no benchmark.
type NameError struct{ error }

// Choose returns the benchmarks whose names begin with one of the prefixes, or all benchmarks if
// there are no prefixes. The settings, of the form key=value, change the presets of the chosen
// benchmarks. If a prefix selects no benchmark, or the settings affect none, the error is a
// NameError.
func Choose(prefixes, settings []string) ([]Benchmark, error) {
	wanted := func(b Benchmark) bool {
		return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(b.name, p) })
	}
	all, changed := append(peakBenchmarks(), kernelBenchmarks()...), false
	for _, name := range configs.Names() {
		of, err := presetBenchmarks(name, nil)
		if err == nil && len(settings) > 0 && slices.ContainsFunc(of, wanted) {
			changed = true
			of, err = presetBenchmarks(name, settings)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	all = append(all, gameBenchmarks()...)
	for _, p := range prefixes {
		if !slices.ContainsFunc(all, func(b Benchmark) bool { return strings.HasPrefix(b.name, p) }) {
			return nil, NameError{fmt.Errorf("no benchmark has a name that begins with %q; without a NAME, bench runs all benchmarks", p)}
		}
	}
	if len(settings) > 0 && !changed {
		return nil, NameError{errors.New("--set has no effect, because no selected benchmark uses a preset; select one such as selfplay/onitama")}
	}
	return slices.DeleteFunc(all, func(b Benchmark) bool { return !wanted(b) }), nil
}

// Measure runs benchmarks one after another and calls show with each result as soon as it is known.
// If consecutive benchmarks have the same name, it shows only the best of their results. Before the
// benchmarks, it measures the arithmetic peaks with which their results are compared.
func Measure(ctx context.Context, chosen []Benchmark, show func(Result) error) error {
	peaks := map[string]float64{}
	for _, b := range peakBenchmarks() {
		if slices.ContainsFunc(chosen, func(c Benchmark) bool { return c.peak == b.name }) {
			m, err := measure(ctx, b)
			if err != nil {
				return err
			}
			peaks[b.name] = 1e9 * m.Value
		}
	}
	for i := 0; i < len(chosen); {
		var best Result
		b := chosen[i]
		for ; i < len(chosen) && chosen[i].name == b.name; i++ {
			m, err := measure(ctx, chosen[i])
			if err != nil {
				return err
			}
			if m.Value > best.Value {
				best = m
			}
		}
		if peak := peaks[b.peak]; peak > 0 {
			share := best.Value * b.operations / peak
			best.OfPeak = &share
		}
		if err := show(best); err != nil {
			return err
		}
	}
	return nil
}

// measure runs a benchmark: first a warm-up, then the repetitions. The result holds the median of
// the repetitions.
func measure(ctx context.Context, b Benchmark) (m Result, err error) {
	defer func() {
		if failed, ok := recover().(error); ok {
			err = fmt.Errorf("benchmark %s: %w", b.name, failed)
		}
	}()
	work := b.make()
	work()
	var rates []float64
	for range repetitions {
		n, start := 0.0, time.Now()
		for time.Since(start) < repeatFor {
			if ctx.Err() != nil {
				return m, context.Cause(ctx)
			}
			n += work()
		}
		rates = append(rates, n/time.Since(start).Seconds())
	}
	slices.Sort(rates)
	return Result{
		Name: b.name, Value: rates[len(rates)/2], Unit: b.unit,
		Kernels: kernel.Name(), Quant: kernel.QuantName(),
	}, nil
}

// gameBenchmarks returns the benchmarks of the rules and of the search for all games.
func gameBenchmarks() (all []Benchmark) {
	for _, kind := range []struct {
		name, unit string
		work       func(games.Entry) func() float64
	}{{"perft/", "nodes/s", perftWork}, {"playout/", "plies/s", playoutWork}, {"search/", "simulations/s", searchWork}} {
		for _, game := range games.All {
			all = append(all, Benchmark{name: kind.name + game.Name, unit: kind.unit, make: func() func() float64 { return kind.work(game) }})
		}
	}
	return all
}

// playoutWork returns a function that plays a random game and returns its number of plies.
func playoutWork(game games.Entry) func() float64 {
	rng := rand.New(rand.NewPCG(1, 0))
	return func() float64 {
		plies, err := game.RandomPlayout(deal(game.Game.Game, rng), rng)
		must(err)
		return float64(plies)
	}
}

// deal returns a random start position for self-play. It panics on an error; see must.
func deal(game engine.Game, rng *rand.Rand) engine.Position {
	p, err := game.Deal(rng)
	must(err)
	return p
}

// perftWork returns a function that counts the action sequences of a fixed length from a start
// position. The length is the smallest one with at least 200,000 nodes.
func perftWork(game games.Entry) func() float64 {
	start, depth := deal(game.Game.Game, rand.New(rand.NewPCG(1, 0))), 1
	never := func() bool { return false }
	for depth < game.MaxPlies && game.Perft(start, depth, never) < 200_000 {
		depth++
	}
	return func() float64 { return float64(game.Perft(start, depth, never)) }
}

// silent is an evaluator without a network: it encodes each position and returns zeros.
type silent struct{ planes engine.Shape }

func (s silent) NewInput() engine.Input { return engine.PlaneInput(s.planes) }

func (silent) Evaluate(context.Context, *model.Batch) error { return nil }

// searchWork returns a function that searches for one move of a self-play game and returns the
// number of simulations. The search uses 100 simulations (the default of package mcts) and silent
// as its evaluator.
func searchWork(game games.Entry) func() float64 {
	cfg := mcts.Default()
	driver := think.NewDriver(game.Game, cfg, silent{game.Planes}, 1)
	lane := driver.Lanes[0]
	search, rng := lane.Search, rand.New(rand.NewPCG(1, 0))
	search.Reset(deal(game.Game.Game, rng), rng)
	return func() float64 {
		if search.Position().Outcome() != engine.Ongoing {
			search.Reset(deal(game.Game.Game, rng), rng)
		}
		lane.Begin(cfg.SelfPlay(), think.Budget{Visits: cfg.Simulations})
		must(driver.Run(context.Background(), func(*think.Lane, think.Stop) error { return nil }))
		made := lane.Simulations()
		search.Play(search.Root().Choose(1))
		return float64(made)
	}
}
