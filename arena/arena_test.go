package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dojo/alphabeta"
	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/engine/patchwork"
	"dojo/engine/tictactoe"
	"dojo/mcts"
	"dojo/model"
)

var (
	board  = tictactoe.Rules.Game()
	search = func(cfg mcts.Config) mcts.Search { return mcts.New(tictactoe.Rules, cfg) }

	alphaBetaSearch = func() alphabeta.Searcher { return alphabeta.New(tictactoe.Rules) }
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

// Players that think long hear their context while they think.
func TestThinkingIsCancelled(t *testing.T) {
	for name, m := range map[string]Maker{"alphabeta:12": AlphaBeta(12), "alphabeta:1": AlphaBeta(1), "greedy": Greedy()} {
		p := patchwork.Rules.Game().Start(rand.New(rand.NewPCG(1, 1)))
		if name == "alphabeta:12" {
			p = onitama.Classic.Game().Start(rand.New(rand.NewPCG(1, 1)))
		}
		player := m()
		player.NewGame(1)
		ctx, cancel := context.WithCancel(t.Context())
		if name == "alphabeta:12" {
			time.AfterFunc(50*time.Millisecond, cancel)
		} else {
			cancel()
		}
		began := time.Now()
		if _, err := player.Choose(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
		}
		if took := time.Since(began); took > 500*time.Millisecond {
			t.Errorf("%s thinks for %v after it was cancelled", name, took)
		}
	}
}

// The tree is kept from move to move: in a new position of its game a player
// asks for fewer evaluations than a player that sees the position first.
func TestTreeIsKept(t *testing.T) {
	cfg := mcts.Default()
	cfg.Simulations, cfg.Cache = 200, 0
	var asked counter
	net := Net(search, board.Spec, &asked, cfg)
	evaluations := func(player Player, p engine.Position) (engine.Position, int) {
		before := asked.boards
		a, err := player.Choose(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return p.Play(a), asked.boards - before
	}
	keeps := net()
	keeps.NewGame(1)
	p, _ := evaluations(keeps, board.Start(nil))
	for p = p.Play(p.Legal(nil)[0]); p.Outcome() == engine.Ongoing; p = p.Play(p.Legal(nil)[0]) {
		forgets := net()
		forgets.NewGame(1)
		_, anew := evaluations(forgets, p)
		next, kept := evaluations(keeps, p)
		if kept >= anew {
			t.Errorf("%s: %d evaluations with the tree of the move before, %d without", p, kept, anew)
		}
		if p = next; p.Outcome() != engine.Ongoing || anew < 50 { // near the end there is nothing to save
			return
		}
	}
}

// A counter counts the boards it is asked about, and has no opinion.
type counter struct{ boards int }

func (c *counter) Evaluate(ctx context.Context, b *model.Batch) error {
	c.boards += b.N
	return model.Uniform.Evaluate(ctx, b)
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
