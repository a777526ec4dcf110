package train_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/train"
)

// tinySparse returns the options of a tiny run with a sparse network.
func tinySparse(t *testing.T, dir string, workers int) train.Options {
	t.Helper()
	opt, err := tiny(dir, workers)
	if err != nil {
		t.Fatal(err)
	}
	sizes := model.DefaultSparse()
	sizes.Columns = 64
	opt.Network = model.Network{Body: sizes}.For(opt.Game.Spec)
	return opt
}

// A run with a sparse network gives the same bytes for any number of workers, even if it is stopped
// and continued several times.
func TestSparseRun(t *testing.T) {
	dir := t.TempDir()
	want := outcome(t, tinySparse(t, filepath.Join(dir, "1"), 1))
	compare(t, outcome(t, tinySparse(t, filepath.Join(dir, "3"), 3)), want)
	compare(t, stopAndGoOn(t, tinySparse(t, filepath.Join(dir, "stopped"), 2)), want)
}

// A run whose models store the columns in 16 bits gives the same bytes for any number of workers,
// even if it is stopped and continued. Another run can begin with its model.
func TestHalfRun(t *testing.T) {
	dir := t.TempDir()
	half := func(name string, workers int) train.Options {
		opt := tinySparse(t, filepath.Join(dir, name), workers)
		sizes := opt.Network.Body.(model.Sparse)
		sizes.Half = true
		opt.Network.Body = sizes
		return opt
	}
	want := outcome(t, half("1", 1))
	compare(t, outcome(t, half("2", 2)), want)
	compare(t, stopAndGoOn(t, half("stopped", 2)), want)
	models := 0
	for name, text := range want {
		isModel := strings.HasPrefix(name, "models/")
		if isModel {
			models++
		}
		if strings.HasSuffix(name, ".safetensors") && bytes.Contains(text, []byte(`"columns.weight":{"dtype":"F16"`)) != isModel {
			t.Errorf("%s: it has columns in 16 bits: %v", name, !isModel)
		}
	}
	if models != 3 {
		t.Errorf("there are %d models", models)
	}
}

// outcome trains a run to its end and returns its results.
func outcome(t *testing.T, opt train.Options) map[string][]byte {
	t.Helper()
	finish(t, opt)
	return results(t, string(opt.Folder))
}

// stopAndGoOn does the same as outcome, but stops and continues the run several times.
func stopAndGoOn(t *testing.T, stopped train.Options) map[string][]byte {
	t.Helper()
	for stops, done := 0, false; !done; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		// Each time, allow more reports before the stop, so that the run eventually completes.
		stopped.Report = &stopper{stop: cancel, left: 10 * (1 + stops)}
		r, err := train.Open(stopped)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Loop(ctx)
		done = err == nil
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if !done && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if done && stops < 3 {
			t.Errorf("the run was stopped %d times only", stops)
		}
		cancel()
	}
	return results(t, string(stopped.Folder))
}

// A stopper is a reporter that stops a run after a number of progress reports. For example, there
// is a report for each optimiser step.
type stopper struct {
	silent
	stop context.CancelFunc
	left int
}

func (s *stopper) Stage(generation int, stage string, total int) func(int, string) {
	return func(int, string) {
		if s.left--; s.left == 0 {
			s.stop()
		}
	}
}

// A sparse network learns from its games: its losses fall.
func TestSparseLearns(t *testing.T) {
	opt := tinySparse(t, filepath.Join(t.TempDir(), "run"), 2)
	opt.Train.Generations = 8
	learns(t, opt)
}

// learns trains a run to its end and checks that the losses have fallen.
func learns(t *testing.T, opt train.Options) {
	t.Helper()
	all := finish(t, opt)
	first, last := all[0].Fit, all[len(all)-1].Fit
	if last.PolicyLoss > first.PolicyLoss-0.1 || last.ValueLoss > first.ValueLoss-0.02 {
		t.Errorf("the losses went from %.3f and %.3f to %.3f and %.3f only", first.PolicyLoss, first.ValueLoss, last.PolicyLoss, last.ValueLoss)
	}
}

// silentState is a state of tic-tac-toe that does not list features.
type silentState struct{ tictactoe.State }

// Features hides the method Features of tictactoe.State. Because its signature is different, this
// state lists no features.
func (silentState) Features() {}

func (s silentState) Play(a engine.Action) silentState {
	return silentState{State: s.State.Play(a)}
}

// If a game lists no features, a sparse network learns from the elements of its planes.
func TestSparseLearnsPlanes(t *testing.T) {
	opt := tinySparse(t, filepath.Join(t.TempDir(), "run"), 2)
	rules := engine.Rules[silentState]{
		Spec:  tictactoe.Rules.Spec,
		Start: func(*rand.Rand) silentState { return silentState{} },
		Parse: func(text string) (silentState, error) {
			s, err := tictactoe.Parse(text)
			return silentState{State: s}, err
		},
	}
	for _, sym := range tictactoe.Rules.Symmetries {
		sym.Features = nil
		rules.Symmetries = append(rules.Symmetries, sym)
	}
	rules.Features, rules.ActiveFeatures = 0, 0
	opt.Game = mcts.GameOf(rules)
	opt.Network = opt.Network.For(opt.Game.Spec)
	opt.Train.Generations = 8
	learns(t, opt)
}

// A sparse network for a game without features causes an error. To continue a run with the other
// kind of network also causes an error. Each of these errors is one line and names the game or the
// model.
func TestSparseRefusals(t *testing.T) {
	opt := tinySparse(t, filepath.Join(t.TempDir(), "run"), 1)
	other := opt
	other.Game.Spec.Features, other.Game.Spec.ActiveFeatures = 0, 0
	other.Network = model.Network{Body: opt.Network.Body}.For(other.Game.Spec)
	if _, err := train.Open(other); err == nil || !strings.Contains(err.Error(), "tictactoe lists none") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a game without features: %v", err)
	}

	finish(t, opt)
	residual, err := tiny(string(opt.Folder), 1)
	if err != nil {
		t.Fatal(err)
	}
	residual.Train.Generations = 4
	r, err := train.Open(residual)
	if err == nil {
		err = errors.Join(r.Loop(t.Context()), r.Close())
	}
	if err == nil || !strings.Contains(err.Error(), "model 000002 is sparse: 64 columns") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a run of the one kind that goes on with the other: %v", err)
	}
}
