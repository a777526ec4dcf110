package train_test

import (
	"path/filepath"
	"testing"

	"dojo.example/internal/slow"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/train"
)

// With the preset for tic-tac-toe, a model learns to draw or win as either player, whatever the
// other player plays.
func TestTicTacToeIsLearned(t *testing.T) {
	slow.Test(t, "learns Tic-Tac-Toe until it is not beaten")
	c, err := configs.Load("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	game, err := games.ByName(c.Game)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	r, err := train.Open(train.Options{
		Game: game.Game, Network: c.Network.Model().For(game.Spec),
		Search: c.MCTS, Selfplay: c.Selfplay, Train: c.Train, Gate: c.Gate, Seed: c.Seed,
		Folder: rundir.Folder(dir), Name: "run", ProgramVersion: "test", Workers: 2, Report: silent{},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Loop(t.Context()); err != nil {
		t.Fatal(err)
	}
	best, err := model.Load(rundir.Folder(dir).Model(r.Best()))
	if err != nil {
		t.Fatal(err)
	}
	search := c.MCTS
	search.Simulations = 12
	games, losses := defend(t, game, arena.Net("", game.Game, model.NewNet(best), search))
	if losses > 0 || games < 200 {
		t.Errorf("%d of %d games against every defence were lost", losses, games)
	}
	// A search without a network does lose. This shows that the network has learned to defend.
	if _, losses := defend(t, game, arena.Net("", game.Game, model.Uniform, search)); losses == 0 {
		t.Error("a search without a network never lost either: this shows nothing")
	}
}

// defend plays m against every possible sequence of the opponent's actions, first with m as First
// and then with m as Second. It returns how many games m played and how many it lost.
func defend(t *testing.T, game games.Entry, m arena.Contestant) (played, losses int) {
	t.Helper()
	player := m.Make()
	var walk func(p engine.Position, side engine.Player)
	walk = func(p engine.Position, side engine.Player) {
		if p.Outcome() != engine.Ongoing {
			played++
			if p.Outcome() == engine.WonBy(1-side) {
				losses++
			}
			return
		}
		if p.ToMove() != side {
			for _, a := range p.Legal(nil) {
				walk(p.Play(a), side)
			}
			return
		}
		player.NewGame(1)
		a, err := player.Choose(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		walk(p.Play(a), side)
	}
	walk(game.Start(nil), engine.First)
	walk(game.Start(nil), engine.Second)
	t.Logf("%d of %d games lost", losses, played)
	return played, losses
}
