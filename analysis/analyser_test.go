package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/mcts"
	"dojo.example/model"
	"dojo.example/think"
)

// started returns an analyser of tic-tac-toe that runs until the test ends. Its
// evaluator has no opinion; before each evaluation it calls wait.
func started(t *testing.T, opt analysis.Options, wait func(b *model.Batch)) *analysis.Analyser {
	t.Helper()
	blank := model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
		wait(b)
		return model.Uniform.Evaluate(ctx, b)
	})
	a := analysis.New(mcts.GameOf(tictactoe.Rules), think.Options{Evaluator: blank}, opt)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := a.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Run ends with %v", err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return a
}

func finished(t *testing.T, r *analysis.Running) analysis.Thought {
	t.Helper()
	select {
	case <-r.Done():
	case <-time.After(time.Minute):
		t.Fatal("a search does not end")
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r.Thought()
}

// What is found of a position does not depend on what is searched beside it, and
// several positions share a batch.
func TestAnalyserIsDeterministic(t *testing.T) {
	texts := []string{".........", "x........", "xo.......", "xox......", "....x....", "x...o...."}
	budget := think.Budget{Visits: 60}
	var want []analysis.Thought
	for _, opt := range []analysis.Options{{Workers: 1, Lanes: 1}, {Workers: 1, Lanes: 4}, {Workers: 3, Lanes: 2}} {
		var mu sync.Mutex
		most := 0
		a := started(t, opt, func(b *model.Batch) {
			mu.Lock()
			defer mu.Unlock()
			most = max(most, b.Input.Rows())
		})
		var all []*analysis.Running
		for _, text := range texts {
			all = append(all, a.Begin(position(t, text), budget, 0))
		}
		for i, r := range all {
			got := finished(t, r)
			if len(want) < len(texts) {
				want = append(want, got)
			}
			if !reflect.DeepEqual(got, want[i]) || got.Visits != budget.Visits || r.Stop() != think.Visits {
				t.Errorf("with %+v, %s is found %+v (%v), want %+v", opt, texts[i], got, r.Stop(), want[i])
			}
		}
		if opt.Lanes == 4 && most < 2 {
			t.Error("four lanes never share a batch")
		}
	}
}

// A search without a limit goes on until it is cancelled, and its thought grows.
func TestThoughtGrows(t *testing.T) {
	a := started(t, analysis.Options{Workers: 1, Lanes: 2}, func(*model.Batch) { time.Sleep(time.Millisecond) })
	r := a.Begin(position(t, "........."), think.Budget{}, 0)
	seen := 0
	for distinct := 0; distinct < 3; time.Sleep(time.Millisecond) {
		if now := r.Thought().Visits; now > seen {
			seen, distinct = now, distinct+1
		}
	}
	beside := a.Begin(position(t, "x........"), think.Budget{Visits: 5}, 0)
	finished(t, beside) // while r goes on
	r.Cancel()
	<-r.Done()
	if got := r.Thought(); !errors.Is(r.Err(), analysis.ErrCancelled) || got.Visits < seen || len(got.Moves) != 9 {
		t.Errorf("after cancelling: %v, %+v", r.Err(), got)
	}
}

// Waiting searches begin by priority, then by age, and end at once when cancelled.
func TestPriorities(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{}, 1000)
	names := map[string]string{} // of positions, by their planes
	var order []string           // in which positions are first evaluated
	a := started(t, analysis.Options{Workers: 1, Lanes: 1}, func(b *model.Batch) {
		held <- struct{}{}
		<-hold
		planes := fmt.Sprint(b.Input.PlanesOf(0))
		if names[planes] != "" {
			order = append(order, names[planes])
			delete(names, planes)
		}
	})
	first := a.Begin(position(t, "........."), think.Budget{Visits: 1}, 0)
	<-held // it runs, the others wait
	begin := func(text, name string, priority int) *analysis.Running {
		p := position(t, text)
		in := engine.PlaneInput(tictactoe.Rules.Planes)
		in.Append(p)
		names[fmt.Sprint(in.Planes)] = name
		return a.Begin(p, think.Budget{Visits: 1}, priority)
	}
	all := []*analysis.Running{first, begin("x........", "low", -1), begin(".x.......", "a", 0)}
	gone := begin("..x......", "cancelled", 0)
	all = append(all, begin("...x.....", "high", 5), begin("....x....", "b", 0))
	gone.Cancel()
	<-gone.Done()
	if got := gone.Thought(); !errors.Is(gone.Err(), analysis.ErrCancelled) || got.Visits != 0 {
		t.Errorf("cancelled while it waits: %v, %+v", gone.Err(), got)
	}
	close(hold)
	for _, r := range all {
		finished(t, r)
	}
	if want := []string{"high", "a", "b", "low"}; !slices.Equal(order, want) {
		t.Errorf("searches begin in the order %v, want %v", order, want)
	}
}

// A search by time ends when it is over; one of a finished game at once; and those that
// are left when Run ends say so.
func TestEnds(t *testing.T) {
	a := started(t, analysis.Options{Workers: 1, Lanes: 2}, func(*model.Batch) { time.Sleep(time.Millisecond) })
	for limit, enough := 50*time.Millisecond, false; !enough; limit *= 4 { // on a busy machine there is time for a second visit later
		began := time.Now()
		r := a.Begin(position(t, "........."), think.Budget{Time: limit}, 0)
		got := finished(t, r)
		enough = got.Visits > 1
		if r.Stop() != think.Time || time.Since(began) < limit || (!enough && limit > time.Minute) {
			t.Fatalf("a search of %v ends after %v: %v, %d visits", limit, time.Since(began), r.Stop(), got.Visits)
		}
	}
	over := a.Begin(position(t, "xxxoo...."), think.Budget{}, 0)
	if got := finished(t, over); got.Value != 1 || got.Proven != engine.FirstWins || len(got.Moves) != 0 {
		t.Errorf("a finished game gives %+v", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	b := analysis.New(mcts.GameOf(tictactoe.Rules), think.Options{}, analysis.Options{Workers: 1, Lanes: 1})
	all := []*analysis.Running{b.Begin(position(t, "........."), think.Budget{}, 0), b.Begin(position(t, "........."), think.Budget{}, 0)}
	cancel()
	if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run ends with %v", err)
	}
	for _, r := range append(all, b.Begin(position(t, "........."), think.Budget{}, 0)) {
		<-r.Done()
		if !errors.Is(r.Err(), context.Canceled) {
			t.Errorf("a search that is left ends with %v", r.Err())
		}
	}
}

// A search whose tree has used up its share of the memory ends and says so, and another
// finds room again.
func TestMemory(t *testing.T) {
	a := started(t, analysis.Options{Workers: 1, Lanes: 2, Memory: 20_000}, func(*model.Batch) {})
	for range 2 {
		p := position(t, ".........")
		r := a.Begin(p, think.Budget{Visits: 1_000_000}, 0)
		got := finished(t, r)
		if r.Stop() != think.Full || got.Visits < 5 || got.Visits > 5000 {
			t.Errorf("a search with 10 kB ends with %d visits: %v", got.Visits, r.Stop())
		}
		if got := (analysis.Query{}).Answer("tictactoe", p, got, r.Stop()).Stopped; got != "the tree is full" {
			t.Errorf("the answer says that it was stopped by %q", got)
		}
	}
}

// An evaluation that fails ends the search with its error, and no later one.
func TestEvaluationFails(t *testing.T) {
	broken := errors.New("broken")
	fails := true
	e := model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
		if fails {
			fails = false
			return broken
		}
		return model.Uniform.Evaluate(ctx, b)
	})
	a := analysis.New(mcts.GameOf(tictactoe.Rules), think.Options{Evaluator: e}, analysis.Options{Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.Run(ctx) }) // it ends with ctx
	r := a.Begin(position(t, "........."), think.Budget{}, 0)
	if <-r.Done(); !errors.Is(r.Err(), broken) {
		t.Errorf("the search ends with %v", r.Err())
	}
	finished(t, a.Begin(position(t, "........."), think.Budget{Visits: 10}, 0))
	cancel()
	wg.Wait()
}
