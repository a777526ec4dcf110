package arena

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/engine/patchwork"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/search/alphabeta"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

var (
	board   = noughts.Game
	noughts = mcts.GameOf(tictactoe.Rules)

	alphaBetaSearch = func() alphabeta.Searcher { return alphabeta.New(tictactoe.Rules) }

	// The search reduces the depth of some lines. A depth of 27 is enough to reach the end of the
	// game in these lines too.
	perfect = toDepth(alphaBetaSearch, 27)
)

func toDepth(newSearch func() alphabeta.Searcher, n int) Contestant {
	return AlphaBeta(newSearch, alphabeta.Limit{Depth: n}, 0)
}

// byPlayouts returns a player that searches with random playouts instead of a network.
func byPlayouts(simulations int) Contestant {
	return MCTS(noughts, think.Options{}, think.Budget{Visits: simulations})
}

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

// choose returns, as text, the action that player m chooses in position p.
func choose(t *testing.T, m Contestant, p engine.Position, seed uint64) string {
	t.Helper()
	player := m.Make()
	player.NewGame(seed)
	a, err := player.Choose(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p.ActionString(a)
}

// Perfect play never loses, draws against itself, and usually beats the random player.
func TestPerfectPlay(t *testing.T) {
	for _, m := range []Contestant{Random(), Greedy(), byPlayouts(50)} {
		if r := match(t, Options{A: perfect, B: m, Games: 20, Seed: 1}); r.Losses > 0 {
			t.Errorf("perfect play lost: %+v", r)
		}
	}
	if r := match(t, Options{A: perfect, B: perfect, Games: 2, Seed: 2}); r.Draws != 2 {
		t.Errorf("perfect play against itself: %+v", r)
	}
	if r := match(t, Options{A: perfect, B: Random(), Games: 60, Seed: 3}); r.Score() < 0.8 {
		t.Errorf("perfect play scores only %v against random", r.Score())
	}
}

// Greedy plays a winning action if there is one. Otherwise it prevents the opponent from winning.
// If the opponent does not threaten to win, it captures.
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

// Players with long searches stop as soon as their context is cancelled.
func TestThinkingIsCancelled(t *testing.T) {
	deep := toDepth(func() alphabeta.Searcher { return alphabeta.New(onitama.Classic) }, 30)
	shallow := toDepth(func() alphabeta.Searcher { return alphabeta.New(patchwork.Rules) }, 1)
	for name, m := range map[string]Contestant{"alphabeta:30": deep, "alphabeta:1": shallow, "greedy": Greedy()} {
		p := patchwork.Rules.Game().Start(rand.New(rand.NewPCG(1, 1)))
		if name == "alphabeta:30" {
			p = onitama.Classic.Game().Start(rand.New(rand.NewPCG(1, 1)))
		}
		player := m.Make()
		player.NewGame(1)
		ctx, cancel := context.WithCancel(t.Context())
		if name == "alphabeta:30" {
			time.AfterFunc(50*time.Millisecond, cancel)
		} else {
			cancel()
		}
		if _, err := player.Choose(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
		}
	}
}

// A player keeps its tree from move to move. So in a later position of its game it asks for fewer
// evaluations than a player that sees the position for the first time.
func TestTreeIsKept(t *testing.T) {
	cfg := mcts.Default()
	cfg.Simulations = 200
	var asked counter
	net := Net("", noughts, &asked, cfg)
	evaluations := func(player Player, p engine.Position) (engine.Position, int) {
		before := asked.boards
		a, err := player.Choose(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return p.Play(a), asked.boards - before
	}
	keeps := net.Make()
	keeps.NewGame(1)
	p, _ := evaluations(keeps, board.Start(nil))
	for p = p.Play(p.Legal(nil)[0]); p.Outcome() == engine.Ongoing; p = p.Play(p.Legal(nil)[0]) {
		forgets := net.Make()
		forgets.NewGame(1)
		_, anew := evaluations(forgets, p)
		next, kept := evaluations(keeps, p)
		if kept >= anew {
			t.Errorf("%s: %d evaluations with the tree of the move before, %d without", p, kept, anew)
		}
		// Stop near the end of the game, where keeping the tree saves almost nothing.
		if p = next; p.Outcome() != engine.Ongoing || anew < 50 {
			return
		}
	}
}

// counter is an evaluator that counts the positions it evaluates. It returns the same values as
// model.Uniform.
type counter struct{ boards int }

func (c *counter) NewInput() engine.Input { return model.Uniform.NewInput() }

func (c *counter) Evaluate(ctx context.Context, b *model.Batch) error {
	c.boards += b.Input.Rows()
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
