package measure

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"dojo.example/engine/onitama"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/internal/memory"
	"dojo.example/search/solve"
)

// Solving holds the options of solving: which positions, and how much memory and work.
type Solving struct {
	Remarks io.Writer                  // receives progress and the amount of memory needed
	Each    func(console.Report) error // is called with each result as soon as it is known

	Sample   int // number of positions to report
	Seed     uint64
	MinPlies int // positions that end sooner with perfect play are left out
	Workers  int // number of goroutines
	Nodes    int // limit of nodes per search
	// Positions come from random games, at most this many plies before the end of the game. Onitama
	// does not use this field.
	Plies int
	Men   int // in Onitama: number of men of the player with more men
}

// need prints how much memory the solver needs, and returns an error if that is more than allowed.
func (s *Solving) need(bytes int64, what string) error {
	need := memory.Size(bytes)
	if need > memory.Limit() {
		return fmt.Errorf("%s needs %v of memory, more than --memory %v", what, need, memory.Limit())
	}
	fmt.Fprintf(s.Remarks, "%s needs %v of memory\n", what, need)
	return nil
}

// SolveLate solves positions near the end of a game and reports a sample of them. It uses a search
// without a table of endings.
func (s *Solving) SolveLate(ctx context.Context, game games.Entry) error {
	candidates, bytes := game.Late(s.Plies, s.Nodes)
	what := fmt.Sprintf("a search of %d nodes on each of %d threads", s.Nodes, s.Workers)
	if err := s.need(bytes*int64(s.Workers), what); err != nil {
		return err
	}
	return s.sample(ctx, candidates)
}

// SolveOnitama computes the table of endings for the five cards. If no sample is wanted, it reports
// how many positions are won, lost and drawn; otherwise it reports the sample. If searched is set,
// the positions in the sample have more men than those in the table. A search then solves them with
// the help of the table.
func (s *Solving) SolveOnitama(ctx context.Context, endings *onitama.Endings, cards []int, searched bool) error {
	bytes := solve.TableBytes(endings)
	what := fmt.Sprintf("a table of %d positions", endings.Open()*onitama.Deals)
	if searched {
		bytes += solve.ProverBytes[onitama.State](s.Nodes) * int64(s.Workers)
		what += fmt.Sprintf(" and a search of %d nodes on each of %d threads", s.Nodes, s.Workers)
	}
	if err := s.need(bytes, what); err != nil {
		return err
	}
	table, err := s.solveTable(ctx, endings, cards)
	if err != nil || s.Sample == 0 {
		return err
	}
	fit := func(p onitama.State, _ int) bool { return p.Most() == s.Men }
	return s.sample(ctx, func(stop func() bool) solve.Candidate {
		solved := table.Line
		if searched {
			solved = (&solve.Prover[onitama.State]{Nodes: s.Nodes, Probe: table.Value, Stop: stop}).Line
		}
		return func(rng *rand.Rand) (line solve.Line, ok bool, err error) {
			p, ok, err := solve.Draw(onitama.Classic, onitama.Shuffled(cards, rng), rng, fit)
			if ok {
				line, ok = solved(p.Fresh())
			}
			return line, ok, err
		}
	})
}

// solveTable computes the table of endings. If no sample is requested, it also reports how many
// positions are won, lost and drawn.
func (s *Solving) solveTable(ctx context.Context, endings *onitama.Endings, cards []int) (*solve.Table, error) {
	table := solve.NewTable(endings)
	total, longest := endings.Open()*onitama.Deals, 0
	var decided [2]int // numbers of lost and of won positions
	progress := console.NewBar(s.Remarks, total, "positions decided")
	err := table.Solve(func() bool { return ctx.Err() != nil }, s.Workers, func(plies, positions int) {
		decided[plies%2] += positions
		if positions > 0 {
			longest = plies
		}
		progress.Set(decided[0]+decided[1], fmt.Sprintf("in %d plies", plies))
	})
	progress.Clear()
	if err != nil || s.Sample > 0 {
		return table, err
	}
	drawn := total - decided[0] - decided[1]
	share := func(n int) string { return fmt.Sprintf("%d, %s", n, console.Percent(float64(n)/float64(total))) }
	facts := console.Facts{
		{"positions", total}, {"won", share(decided[1])}, {"lost", share(decided[0])}, {"drawn", share(drawn)},
		{"longest", fmt.Sprintf("%d plies", longest)},
	}
	line := map[string]any{
		"game": onitama.Classic.Name, "cards": cards, "men": s.Men, "positions": total,
		"won": decided[1], "lost": decided[0], "drawn": drawn, "plies": longest,
	}
	return table, s.Each(console.Report{Text: fmt.Sprintf("onitama, values for the player to move\n%v", facts), Lines: []any{line}})
}

// sample picks random positions from candidates and reports those that it can solve.
func (s *Solving) sample(ctx context.Context, candidates func(stop func() bool) solve.Candidate) error {
	done, progress := 0, console.NewBar(s.Remarks, s.Sample, "positions solved")
	defer progress.Clear()
	return solve.Sample(ctx, solve.Sampling{
		Positions: s.Sample, Seed: s.Seed, MinPlies: s.MinPlies, Workers: s.Workers,
		Each: func(l solve.Line) error {
			done++
			progress.Set(done, "")
			return s.Each(console.Report{Lines: []any{l}})
		},
	}, candidates)
}
