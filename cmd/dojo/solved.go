package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"dojo/engine"
	"dojo/games"
	"dojo/think"
)

// A problem is a position of known value in which some action gives it away.
type problem struct {
	position engine.Position
	keep     map[engine.Action]bool // the actions that keep the value
}

// readProblems reads positions whose every action is solved, a line of JSON
// each, in a file that may be compressed:
//
//	{"pos":"…","moves":{"6 C1C2":"W5","6 D1D2":"L","3 A1A2":"D","9 E1E2":"?"}}
//
// An action wins (W), draws (D) or loses (L) for the mover, in so many plies
// if they are known. Where every action keeps the value, or one is not known
// (?), there is nothing to judge: such positions are counted as skipped.
func readProblems(game games.Entry, path string) (problems []problem, skipped int, err error) {
	text, err := readMaybeGzip(path)
	if err != nil {
		return nil, 0, fmt.Errorf("solved positions: %w", err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		p, ok, err := readProblem(game, line)
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("solved positions: %s line %d: %w", path, n, err)
		case !ok:
			skipped++
		default:
			problems = append(problems, p)
		}
	}
	if len(problems) == 0 {
		return nil, 0, fmt.Errorf("solved positions: %s has none in which the choice matters", path)
	}
	return problems, skipped, nil
}

func readMaybeGzip(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

func readProblem(game games.Entry, line []byte) (p problem, ok bool, err error) {
	var solved struct {
		Pos   string
		Moves map[string]string
	}
	if err := json.Unmarshal(line, &solved); err != nil {
		return p, false, err
	}
	if p.position, err = game.Parse(solved.Pos); err != nil {
		return p, false, err
	}
	const order = "LDW"
	best, lowest := -1, len(order)
	ranks := map[engine.Action]int{}
	for name, value := range solved.Moves {
		action, err := engine.ParseAction(p.position, name)
		if err != nil {
			return p, false, err
		}
		if value == "?" {
			return p, false, nil
		}
		rank := strings.Index(order, value[:min(1, len(value))])
		if rank < 0 || value == "" {
			return p, false, fmt.Errorf("the value %q of %q is none of W, D, L and ?", value, name)
		}
		ranks[action] = rank
		best, lowest = max(best, rank), min(lowest, rank)
	}
	if want := len(p.position.Legal(nil)); len(ranks) != want {
		return p, false, fmt.Errorf("%d of %d actions have a value", len(ranks), want)
	}
	p.keep = map[engine.Action]bool{}
	for action, rank := range ranks {
		p.keep[action] = rank == best
	}
	return p, lowest < best, nil
}

// kept counts the problems in which a search with the model keeps the value.
func kept(ctx context.Context, game games.Entry, model think.Options, problems []problem, opt matchOptions, report func(done int)) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, good atomic.Int64
	var mu sync.Mutex // serialises report
	done := 0
	var wg sync.WaitGroup
	for range min(opt.workers, len(problems)) {
		wg.Go(func() {
			t := think.New(game.NewSearch, game.Spec, model)
			for i := next.Add(1) - 1; int(i) < len(problems); i = next.Add(1) - 1 {
				p := problems[i]
				t.NewGame(1) // each for itself, whoever thinks about it
				if _, err := t.Think(ctx, p.position, think.Budget{Visits: opt.simulations}); err != nil {
					cancel(err)
					return
				}
				if p.keep[t.Search.Choose(0)] {
					good.Add(1)
				}
				mu.Lock()
				done++
				report(done)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return 0, err
	}
	return int(good.Load()), ctx.Err()
}
