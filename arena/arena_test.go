package arena

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/engine/tictactoe"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

var (
	board  = tictactoe.Rules.Game()
	search = func(cfg mcts.Config) mcts.Search { return mcts.New(tictactoe.Rules, cfg) }
)

func match(t *testing.T, o Options) Result {
	t.Helper()
	o.Game = board
	if o.Workers == 0 {
		o.Workers = 2
	}
	r, err := Match(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func position(t *testing.T, g engine.Game, text string) engine.Position {
	t.Helper()
	p, err := g.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// choose is a player's action in a position, by name.
func choose(t *testing.T, m Maker, p engine.Position, seed uint64) string {
	t.Helper()
	player := m()
	player.NewGame(seed)
	a, err := player.Choose(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p.ActionString(a)
}

// Perfect play never loses, draws itself, and mostly beats the random player.
func TestPerfectPlay(t *testing.T) {
	perfect := AlphaBeta(9)
	for _, m := range []Maker{Random(), Greedy(), Rollouts(search, board.Spec, 50)} {
		if r := match(t, Options{A: perfect, B: m, Games: 20, Seed: 1}); r.Losses > 0 {
			t.Errorf("perfect play lost: %+v", r)
		}
	}
	if r := match(t, Options{A: perfect, B: perfect, Games: 10, Seed: 2}); r.Draws != 10 {
		t.Errorf("perfect play against itself: %+v", r)
	}
	if r := match(t, Options{A: perfect, B: Random(), Games: 60, Seed: 3}); r.Score() < 0.8 {
		t.Errorf("perfect play scores only %v against random", r.Score())
	}
}

// sticks is a game whose turns repeat: who takes sticks so that a multiple of
// three is left moves again; the last stick wins.
type sticks struct {
	left        uint8
	mover, last engine.Player
}

func (s sticks) ToMove() engine.Player { return s.mover }
func (s sticks) Outcome() engine.Outcome {
	if s.left > 0 {
		return engine.Ongoing
	}
	return engine.WonBy(s.last)
}
func (s sticks) Legal(dst []engine.Action) []engine.Action {
	for n := range min(s.left, 2) {
		dst = append(dst, engine.Action(n))
	}
	return dst
}
func (s sticks) Play(a engine.Action) sticks {
	next := sticks{left: s.left - uint8(a) - 1, mover: 1 - s.mover, last: s.mover}
	if next.left%3 == 0 {
		next.mover = s.mover
	}
	return next
}
func (s sticks) Encode(p []float32)                  { p[0] = float32(s.left) }
func (s sticks) ActionString(a engine.Action) string { return fmt.Sprint(a + 1) }
func (s sticks) String() string                      { return fmt.Sprint(s.left, s.mover) }

// minimax is the plain value of a position for First.
func minimax(p engine.Position) int {
	if p.Outcome() != engine.Ongoing {
		return int(p.Outcome().Value())
	}
	best := -int(p.ToMove().Sign())
	for _, a := range p.Legal(nil) {
		if v := minimax(p.Play(a)); v*int(p.ToMove().Sign()) > best*int(p.ToMove().Sign()) {
			best = v
		}
	}
	return best
}

// Alpha-beta agrees with plain minimax, also where turns repeat.
func TestAlphaBetaIsMinimax(t *testing.T) {
	check := func(p engine.Position) {
		t.Helper()
		name := choose(t, AlphaBeta(20), p, 1)
		a, err := engine.ParseAction(p, name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := minimax(p.Play(a)), minimax(p); got != want {
			t.Errorf("%s: alpha-beta plays %s, worth %d of %d", p, name, got, want)
		}
	}
	for left := uint8(1); left < 14; left++ {
		for mover := range 2 {
			check(engine.Forget(sticks{left: left, mover: engine.Player(mover)}))
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		p := board.Start(rng)
		for range 3 + rng.IntN(4) {
			if legal := p.Legal(nil); p.Outcome() == engine.Ongoing {
				p = p.Play(legal[rng.IntN(len(legal))])
			}
		}
		if p.Outcome() == engine.Ongoing {
			check(p)
		}
	}
}

// Greedy takes the win, else stops the other's, else captures.
func TestGreedy(t *testing.T) {
	for seed := range uint64(20) {
		if got := choose(t, Greedy(), position(t, board, "xx.oo...."), seed); got != "c3" {
			t.Errorf("greedy plays %s, not the win c3", got)
		}
		if got := choose(t, Greedy(), position(t, board, "x..oo.x.."), seed); got != "c2" && got != "a1" {
			t.Errorf("greedy plays %s and lets the other win at c2", got)
		}
		p := position(t, onitama.Classic.Game(), "B..../...../..b../.w.w./....W 0 13,11 4,0 15 4")
		if got := choose(t, Greedy(), p, seed); !strings.HasSuffix(got, "C3") {
			t.Errorf("greedy plays %s, not the capture on C3", got)
		}
	}
}

// A match does not depend on workers; its pairs are the same opening twice.
func TestMatchIsReproducible(t *testing.T) {
	play := func(workers int) (Result, []Record) {
		var all []Record
		r := match(t, Options{
			A: Rollouts(search, board.Spec, 20), B: Greedy(), Games: 40, Seed: 5, OpeningPlies: 2, Workers: workers,
			Records: func(r Record) { all = append(all, r) },
		})
		return r, all
	}
	want, records := play(1)
	for _, workers := range []int{2, 7} {
		if got, again := play(workers); got != want || !reflect.DeepEqual(again, records) {
			t.Errorf("%d workers: %+v, want %+v", workers, got, want)
		}
	}
	if len(records) != 40 || want.Games() != 40 {
		t.Fatalf("%d records of %d games", len(records), want.Games())
	}
	for i, r := range records {
		if r.Pair != i/2 || r.AFirst != (i%2 == 0) || r.Opening != records[i/2*2].Opening {
			t.Errorf("record %d is %+v", i, r)
		}
		if p := position(t, board, r.Opening); p.Outcome() != engine.Ongoing || winsAtOnce(p) {
			t.Errorf("opening %s is decided", r.Opening)
		}
	}
}

// A player without luck scores one half against itself, in every pair.
func TestPairsAreFair(t *testing.T) {
	cfg := mcts.Default()
	cfg.Simulations = 30
	net := Net(search, board.Spec, model.Uniform, cfg)
	r := match(t, Options{A: net, B: net, Games: 30, Seed: 1, OpeningPlies: 3})
	if r.Pairs != [5]int{0, 0, 15, 0, 0} {
		t.Errorf("pairs %v", r.Pairs)
	}
	if r.Seat(engine.First)+r.Seat(engine.Second) != 1 || r.Seat(engine.First) == 0.5 {
		t.Errorf("as First %v, as Second %v: want 1 together, and more of it as First", r.Seat(engine.First), r.Seat(engine.Second))
	}
}

// Stopping early counts the pairs in order up to the stop, whoever was faster.
func TestStop(t *testing.T) {
	for _, workers := range []int{1, 3, 8} {
		r := match(t, Options{A: Greedy(), B: Random(), Games: 100, Seed: 1, Workers: workers,
			Stop: func(r Result) bool { return r.Games() >= 12 }})
		if r.Games() != 12 {
			t.Errorf("%d workers: stopped after %d games, want 12", workers, r.Games())
		}
	}
}

type fixed struct {
	action engine.Action
	err    error
}

func (fixed) NewGame(uint64) {}
func (f fixed) Choose(context.Context, engine.Position) (engine.Action, error) {
	return f.action, f.err
}

func TestBadPlayers(t *testing.T) {
	for says, player := range map[string]fixed{"not legal": {action: 8}, "out of paper": {err: errors.New("out of paper")}} {
		_, err := Match(t.Context(), Options{Game: board, A: Random(), B: func() Player { return player }, Games: 2, Workers: 1})
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "player B") {
			t.Errorf("error %v should name player B and %q", err, says)
		}
	}
	if _, err := Match(t.Context(), Options{Game: board, A: Random(), B: Random(), Games: 3}); err == nil {
		t.Error("a match of three games was played")
	}
}

// Elo and its interval, by hand.
func TestElo(t *testing.T) {
	for score, want := range map[float64]float64{0.5: 0, 0.75: 190.8485, 0.25: -190.8485, 10.0 / 11: 400} {
		if got := EloOf(score); math.Abs(got-want) > 1e-3 {
			t.Errorf("EloOf(%v) = %v, want %v", score, got, want)
		}
		if back := expected(want); math.Abs(back-score) > 1e-6 {
			t.Errorf("expected(%v) = %v, want %v", want, back, score)
		}
	}
	// 100 decisive pairs, half of them 2:0 and half 0:2, vary like 50 games
	// of coin tosses each worth two: the interval is that of 100 tosses.
	r := Result{Wins: 100, Losses: 100, Pairs: [5]int{50, 0, 0, 0, 50}}
	if _, low, high := r.Interval(); math.Abs(low-0.4038) > 1e-3 || math.Abs(high-0.5962) > 1e-3 {
		t.Errorf("interval [%v, %v], want Wilson's for 50 of 100", low, high)
	}
	// Every pair 1:1: the openings decide, the players are alike.
	r = Result{Wins: 100, Losses: 100, Pairs: [5]int{0, 0, 100, 0, 0}}
	if s, low, high := r.Interval(); s != 0.5 || low < 0.4 || high > 0.6 || low == high {
		t.Errorf("interval [%v, %v]", low, high)
	}
	for _, r := range []Result{{Wins: 40, Pairs: [5]int{4: 20}}, {Losses: 40, Pairs: [5]int{0: 20}}, {}} {
		elo, low, high := r.Elo()
		if math.IsInf(elo, 0) || math.IsInf(low, 0) || math.IsInf(high, 0) || low >= high || elo < low || elo > high {
			t.Errorf("%+v: Elo %v [%v, %v]", r, elo, low, high)
		}
	}
}

// The sequential test errs as seldom as it says.
func TestSPRT(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05}
	run := func(elo float64, seed uint64) Verdict {
		rng := rand.New(rand.NewPCG(seed, 0))
		var r Result
		for range 5000 {
			halves := 0
			for range 2 {
				if rng.Float64() < expected(elo) {
					halves += 2
					r.Wins++
				} else {
					r.Losses++
				}
			}
			r.Pairs[halves]++
			if _, v := s.Verdict(r); v != Continue {
				return v
			}
		}
		return Continue
	}
	const trials = 400
	var accepted, rejected int
	for seed := range uint64(trials) {
		if run(0, seed) == Accept {
			accepted++
		}
		if run(60, seed) == Reject {
			rejected++
		}
	}
	if accepted > trials*9/100 || rejected > trials*9/100 {
		t.Errorf("of %d tests %d accepted an equal player and %d rejected a stronger one", trials, accepted, rejected)
	}
}

func TestParse(t *testing.T) {
	env := Env{
		Game: board, NewSearch: search, Simulations: 100,
		Load: func(path string) (think.Options, error) {
			if path != "runs/x.safetensors" {
				return think.Options{}, errors.New("no such file")
			}
			return think.Options{Evaluator: model.Uniform}, nil
		},
	}
	for text, want := range map[string]string{
		"random": "random", "greedy": "greedy", "mcts:20": "mcts:20", "alphabeta:3": "alphabeta:3", "uniform:16": "uniform:16",
		"runs/x.safetensors": "runs/x.safetensors:100", "runs/x.safetensors:64": "runs/x.safetensors:64",
	} {
		m, name, err := Parse(text, env)
		if err != nil || name != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", text, name, err, want)
			continue
		}
		if r := match(t, Options{A: m, B: Random(), Games: 2}); r.Games() != 2 {
			t.Errorf("%s played %d games", text, r.Games())
		}
	}
	for text, says := range map[string]string{
		"rnadom": "a player is", "mcts:": "number", "mcts:0": "number", "alphabeta:x": "number", "uniform:-1": "number",
		"runs/y.safetensors": "no such file", "runs/x.safetensors:0": "less than 1", "": "a player is",
	} {
		if _, _, err := Parse(text, env); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q): %v, want an error with %q", text, err, says)
		}
	}
}

// The tree is kept from move to move: what was searched below the actions
// played is not asked of the network again.
func TestTreeIsKept(t *testing.T) {
	const visits = 200
	asked := 0
	network := model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
		asked++
		return model.Uniform.Evaluate(ctx, b)
	})
	cfg := mcts.Default()
	cfg.Simulations, cfg.Cache = visits, 0 // a cache would spare questions too
	player := Net(search, board.Spec, network, cfg)
	ask := func(s Player, p engine.Position) (engine.Action, int) {
		asked = 0
		a, err := s.Choose(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return a, asked
	}
	s := player()
	s.NewGame(1)
	p := board.Start(nil)
	a, _ := ask(s, p)
	p = p.Play(a)
	if got := s.(searcher).Search.Position(); got != p {
		t.Fatalf("after an action the tree is at %s, the game at %s", got, p)
	}
	p = p.Play(p.Legal(nil)[0])
	_, kept := ask(s, p)
	s.NewGame(1)
	if _, fresh := ask(s, p); kept >= fresh {
		t.Errorf("a search to %d visits with a kept tree asks for %d positions, without for %d; want fewer", visits, kept, fresh)
	}
}

func BenchmarkRandomGames(b *testing.B) {
	games := 0
	for b.Loop() {
		if _, err := Match(b.Context(), Options{Game: onitama.Classic.Game(), A: Random(), B: Random(), Games: 20, Seed: uint64(games), Workers: 1}); err != nil {
			b.Fatal(err)
		}
		games += 20
	}
	b.ReportMetric(float64(games)/b.Elapsed().Seconds(), "games/s")
}
