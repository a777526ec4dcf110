package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/patchwork"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/play/analysis"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// started returns an analyser of tic-tac-toe. Before each evaluation it calls the function wait.
// Every position gets the same evaluation.
func started(opt analysis.Options, wait func(b *model.Batch)) *analysis.Analyser {
	blank := model.Wrap(model.Uniform, func(ctx context.Context, b *model.Batch) error {
		wait(b)
		return model.Uniform.Evaluate(ctx, b)
	})
	return analysis.New(mcts.GameOf(tictactoe.Rules), think.Options{Evaluator: blank}, opt)
}

func finished(t *testing.T, r *analysis.Running) analysis.Thought {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { panic("a search does not end") })
	defer late.Stop()
	got, err := r.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The result for a position does not depend on the other searches. A worker evaluates several
// positions in one batch.
func TestAnalyserIsDeterministic(t *testing.T) {
	texts := []string{".........", "x........", "xo.......", "xox......", "....x....", "x...o...."}
	budget := think.Budget{Visits: 60}
	var want []analysis.Thought
	for _, opt := range []analysis.Options{{Workers: 1, Lanes: 1}, {Workers: 1, Lanes: 4}, {Workers: 3, Lanes: 2}} {
		var mu sync.Mutex
		most := 0
		a := started(opt, func(b *model.Batch) {
			mu.Lock()
			defer mu.Unlock()
			most = max(most, b.Input.Rows())
		})
		var all []*analysis.Running
		for _, text := range texts {
			all = append(all, a.Begin(t.Context(), position(t, text), budget, 0))
		}
		for i, r := range all {
			got := finished(t, r)
			got.Elapsed = 0
			if len(want) < len(texts) {
				want = append(want, got)
			}
			if !reflect.DeepEqual(got, want[i]) || got.Visits != budget.Visits || got.Stop != think.Visits {
				t.Errorf("with %+v, %s is found %+v (%v), want %+v", opt, texts[i], got, got.Stop, want[i])
			}
		}
		if opt.Lanes == 4 && most < 2 {
			t.Error("four lanes never share a batch")
		}
	}
}

// A search without a limit runs until it is cancelled, and the visit count in its Thought grows.
func TestThoughtGrows(t *testing.T) {
	a := started(analysis.Options{Workers: 1, Lanes: 2}, func(*model.Batch) { time.Sleep(time.Millisecond) })
	ctx, cancel := context.WithCancelCause(t.Context())
	r := a.Begin(ctx, position(t, "........."), think.Budget{}, 0)
	seen := 0
	for distinct := 0; distinct < 3; time.Sleep(time.Millisecond) {
		if now := r.Thought().Visits; now > seen {
			seen, distinct = now, distinct+1
		}
	}
	beside := a.Begin(t.Context(), position(t, "x........"), think.Budget{Visits: 5}, 0)
	finished(t, beside) // this search ends while r is still running
	enough := errors.New("enough")
	cancel(enough)
	if got, err := r.Wait(); !errors.Is(err, enough) || got.Visits < seen || len(got.Moves) != 9 {
		t.Errorf("after cancelling: %v, %+v", err, got)
	}
}

// Waiting searches begin in order of priority, and among equal priorities in order of age. A
// waiting search that is cancelled ends immediately.
func TestPriorities(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{}, 1000)
	names := map[string]string{} // names of the positions, by their legal actions
	var order []string           // order in which positions are first evaluated
	a := started(analysis.Options{Workers: 1, Lanes: 1}, func(b *model.Batch) {
		held <- struct{}{}
		<-hold
		legal := fmt.Sprint(b.Input.LegalOf(0))
		if names[legal] != "" {
			order = append(order, names[legal])
			delete(names, legal)
		}
	})
	first := a.Begin(t.Context(), position(t, "........."), think.Budget{Visits: 1}, 0)
	<-held // the first search is running, the others are waiting
	begin := func(ctx context.Context, text, name string, priority int) *analysis.Running {
		p := position(t, text)
		names[fmt.Sprint(p.Legal(nil))] = name
		return a.Begin(ctx, p, think.Budget{Visits: 1}, priority)
	}
	all := []*analysis.Running{first, begin(t.Context(), "x........", "low", -1), begin(t.Context(), ".x.......", "a", 0)}
	cancelled, cancel := context.WithCancel(t.Context())
	gone := begin(cancelled, "..x......", "cancelled", 0)
	all = append(all, begin(t.Context(), "...x.....", "high", 5), begin(t.Context(), "....x....", "b", 0))
	cancel()
	if got, err := gone.Wait(); !errors.Is(err, context.Canceled) || got.Visits != 0 {
		t.Errorf("cancelled while it waits: %v, %+v", err, got)
	}
	close(hold)
	for _, r := range all {
		finished(t, r)
	}
	if want := []string{"high", "a", "b", "low"}; !slices.Equal(order, want) {
		t.Errorf("searches begin in the order %v, want %v", order, want)
	}
}

// A search with a time limit ends when its time is up. The search of a finished game ends
// immediately.
func TestEnds(t *testing.T) {
	a := started(analysis.Options{Workers: 1, Lanes: 2}, func(*model.Batch) { time.Sleep(time.Millisecond) })
	// On a busy machine, there may be no time for a second visit. Then try again with a longer
	// limit.
	for limit, enough := 50*time.Millisecond, false; !enough; limit *= 4 {
		began := time.Now()
		r := a.Begin(t.Context(), position(t, "........."), think.Budget{Time: limit}, 0)
		got := finished(t, r)
		enough = got.Visits > 1
		if got.Stop != think.Time || time.Since(began) < limit || (!enough && limit > time.Minute) {
			t.Fatalf("a search of %v ends after %v: %v, %d visits", limit, time.Since(began), got.Stop, got.Visits)
		}
	}
	over := a.Begin(t.Context(), position(t, "xxxoo...."), think.Budget{}, 0)
	if got := finished(t, over); got.Value != 1 || got.Proven != engine.FirstWins || len(got.Moves) != 0 {
		t.Errorf("a finished game gives %+v", got)
	}
}

// If neither visits nor time are limited, a search ends when its tree has used up its share of the
// memory. The result says that the tree is full. Then another search can use the memory.
func TestMemory(t *testing.T) {
	a := started(analysis.Options{Workers: 1, Lanes: 2, Memory: analysis.NewMemory(20_000)}, func(*model.Batch) {})
	for range 2 {
		p := position(t, ".........")
		r := a.Begin(t.Context(), p, think.Budget{}, 0)
		got := finished(t, r)
		if got.Stop != think.Full || got.Visits < 5 || got.Visits > 5000 {
			t.Errorf("a search with 10 kB ends with %d visits: %v", got.Visits, got.Stop)
		}
		if got := (analysis.Query{}).Answer("tictactoe", p, got).Stopped; got != "the tree is full" {
			t.Errorf("the answer says that it was stopped by %q", got)
		}
	}
}

// If a search has a limited number of simulations, its result depends neither on the number of
// workers nor on the memory. Several analysers may share a Memory, and a search waits until there
// is enough memory for it. A search that needs more than the whole Memory fails before it begins.
func TestMemoryDecidesNothing(t *testing.T) {
	const visits = 2000
	game := mcts.GameOf(patchwork.Rules)
	one := game.Bytes(mcts.Default(), visits, false)
	budget := think.Budget{Visits: visits}
	var want analysis.Thought
	for _, c := range []struct {
		workers int
		memory  int64
	}{{1, 8 * one}, {64, 8 * one}, {64, one + one/2}, {2, one}} {
		memory := analysis.NewMemory(c.memory)
		var all []*analysis.Running
		for range 2 {
			a := analysis.New(game, think.Options{Evaluator: model.Uniform}, analysis.Options{Workers: c.workers, Memory: memory})
			for range 3 {
				all = append(all, a.Begin(t.Context(), game.Start(rand.New(rand.NewPCG(1, 0))), budget, 0))
			}
			if _, err := a.Begin(t.Context(), game.Start(rand.New(rand.NewPCG(1, 0))), think.Budget{Visits: 100 * visits}, 0).Wait(); err == nil || !strings.Contains(err.Error(), "--memory") {
				t.Errorf("a search that never fits ends with %v", err)
			}
		}
		for _, r := range all {
			got := finished(t, r)
			got.Elapsed = 0
			if want.Visits == 0 {
				want = got
			}
			if got.Visits != visits || !reflect.DeepEqual(got, want) {
				t.Errorf("%d workers with the memory of %.1f searches find %d visits, %q, want %d, %q", c.workers, float64(c.memory)/float64(one), got.Visits, got.Line, want.Visits, want.Line)
			}
		}
	}
}

// If an evaluation fails, the search ends with the error of the evaluation. Later searches are not
// affected.
func TestEvaluationFails(t *testing.T) {
	broken := errors.New("broken")
	fails := true
	e := model.Wrap(model.Uniform, func(ctx context.Context, b *model.Batch) error {
		if fails {
			fails = false
			return broken
		}
		return model.Uniform.Evaluate(ctx, b)
	})
	a := analysis.New(mcts.GameOf(tictactoe.Rules), think.Options{Evaluator: e}, analysis.Options{Workers: 1})
	r := a.Begin(t.Context(), position(t, "........."), think.Budget{}, 0)
	if _, err := r.Wait(); !errors.Is(err, broken) {
		t.Errorf("the search ends with %v", err)
	}
	finished(t, a.Begin(t.Context(), position(t, "........."), think.Budget{Visits: 10}, 0))
}
