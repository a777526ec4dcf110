package arena

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
	"dojo/think"
)

// Problem is a position of known value in which some action gives it away.
type Problem struct {
	Position engine.Position
	Keep     map[engine.Action]bool // the actions that keep the value
}

// ReadProblems reads positions of a game whose every action is solved, a line of JSON
// each, in a file that may be compressed:
//
//	{"pos":"…","moves":{"6 C1C2":"W5","6 D1D2":"L","3 A1A2":"D","9 E1E2":"?"}}
//
// An action wins (W), draws (D) or loses (L) for the mover, in so many plies
// if they are known. Where every action keeps the value, or one is not known
// (?), there is nothing to judge: such positions are counted as skipped.
func ReadProblems(game engine.Game, path string) (problems []Problem, skipped int, err error) {
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

func readProblem(game engine.Game, line []byte) (p Problem, ok bool, err error) {
	var solved struct {
		Pos   string
		Moves map[string]string
	}
	if err := json.Unmarshal(line, &solved); err != nil {
		return p, false, err
	}
	if p.Position, err = game.Parse(solved.Pos); err != nil {
		return p, false, err
	}
	const order = "LDW"
	best, lowest := -1, len(order)
	ranks := map[engine.Action]int{}
	for name, value := range solved.Moves {
		action, err := engine.ParseAction(p.Position, name)
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
	if want := len(p.Position.Legal(nil)); len(ranks) != want {
		return p, false, fmt.Errorf("%d of %d actions have a value", len(ranks), want)
	}
	p.Keep = map[engine.Action]bool{}
	for action, rank := range ranks {
		p.Keep[action] = rank == best
	}
	return p, lowest < best, nil
}

// Solving is how problems are put to a search.
type Solving struct {
	Thinker  func() *think.Thinker // one for each worker
	Budget   think.Budget          // of each problem
	Workers  int
	Progress func(done int) // after each problem; may be nil
}

// Kept counts the problems in which a search keeps the value. Each is searched
// for itself, so that the count does not depend on the number of workers.
func Kept(ctx context.Context, problems []Problem, o Solving) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, good atomic.Int64
	var mu sync.Mutex // serialises Progress
	done := 0
	var wg sync.WaitGroup
	for range min(max(1, o.Workers), len(problems)) {
		wg.Go(func() {
			t := o.Thinker()
			for i := next.Add(1) - 1; int(i) < len(problems); i = next.Add(1) - 1 {
				p := problems[i]
				t.NewGame(1)
				if _, err := t.Think(ctx, p.Position, o.Budget); err != nil {
					cancel(err)
					return
				}
				if p.Keep[t.Search.Choose(0)] {
					good.Add(1)
				}
				mu.Lock()
				done++
				if o.Progress != nil {
					o.Progress(done)
				}
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
