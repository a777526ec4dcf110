package cli

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/engine/tictactoe"
	"dojo.example/games"
)

// In this game there are only twelve openings of two plies. Longer matches use longer openings, so
// that no opening is used twice.
func TestFewOpenings(t *testing.T) {
	withOthello(t)
	model := checkpoint(t, "othello6")
	for _, c := range []struct {
		args            string
		games, distinct int
		plies           int
		says            string // on stderr
	}{
		{"match alphabeta:2 alphabeta:1 --game othello6 --games 24", 24, 12, 2, ""},
		{"match alphabeta:2 alphabeta:1 --game othello6 --games 100", 100, 50, 3, "openings have 3 random actions, because the game has fewer than 50 different shorter ones (--openings"},
		{"match alphabeta:2 alphabeta:2 --game othello6 --games 400 --sprt 0,50", 26, 13, 4, "openings have 4 random actions"},
		{"match alphabeta:2 alphabeta:2 --game othello6 --games 2000 --sprt 0,50 --openings 2", 24, 12, 2, "only 12 different openings of 2 random actions were found, so the match ends after 24 of 2000 games: deterministic players would only repeat them (--openings"},
		{"match alphabeta:2 alphabeta:1 --game othello6 --games 20 --openings 0", 2, 1, 0, "ends after 2 of 20 games"},
		{"match random random --game othello6 --games 20 --openings 0", 20, 1, 0, "for 10 pairs, so some were played again; all games are different and count (--openings"},
		{"evaluate " + model + " --against alphabeta:1 --games 60 --simulations 4", 60, 30, 3, "openings have 3 random actions"},
		{"evaluate " + model + " --against alphabeta:1 --games 60 --simulations 4 --openings 2", 24, 12, 2, "ends after 24 of 60 games"},
	} {
		for _, workers := range []string{"1", "3"} {
			r := dojo(t, "", append(strings.Fields(c.args), "--json", "--workers", workers)...)
			line := decode[arena.Summary](t, r.stdout)[0]
			if line.Games != c.games || line.Distinct != c.distinct || line.Plies != c.plies || line.Repeats != 0 {
				t.Errorf("dojo %s: %+v, want %d games of %d openings of %d plies", c.args, line, c.games, c.distinct, c.plies)
			}
			if r.status != exitDone || !strings.Contains(r.stderr, c.says) || c.says == "" && r.stderr != "" {
				t.Errorf("dojo %s: status %d, stderr %q, want %q", c.args, r.status, r.stderr, c.says)
			}
		}
	}

	// A tuning chooses its openings long enough for all its iterations together.
	for openings, want := range map[string][2]string{"": {`"openings":3`, "openings have 3"}, " --openings 1": {`"openings":1`, "found only 4 different openings of 1 random actions for 32 pairs"}} {
		file := filepath.Join(t.TempDir(), "tune.jsonl")
		r := dojo(t, "", strings.Fields("tune "+model+" --iterations 8 --games 8 --simulations 2 -o "+file+openings)...)
		plan, err := os.ReadFile(file)
		if err != nil || r.status != exitDone || !strings.Contains(string(plan), want[0]) || !strings.Contains(r.stderr, want[1]) || !strings.Contains(r.stderr, "--openings") {
			t.Errorf("tune%s: %v, %+v and the file %s, want %q", openings, err, r, plan, want)
		}
	}

	// A new run chooses the openings of its gate matches long enough, unless its preset sets their
	// length.
	for gate, want := range map[string]string{"": "opening_plies: 3", ", opening_plies: 1": "opening_plies: 1"} {
		preset, run := filepath.Join(t.TempDir(), "o.yaml"), filepath.Join(t.TempDir(), "run")
		text := "game: othello6\nnetwork: {kind: sparse}\nmcts: {simulations: 2}\nselfplay: {games: 2, shard_games: 2}\ntrain: {generations: 1}\ngate: {games: 40, simulations: 1, ladder: 0" + gate + "}\n"
		if err := os.WriteFile(preset, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time, the command continues the run
			done(t, "", "train", preset, "--run", run)
		}
		if frozen, err := os.ReadFile(filepath.Join(run, "run.yaml")); err != nil || !strings.Contains(string(frozen), want) {
			t.Errorf("a gate%s: %s, %v; want %s", gate, frozen, err, want)
		}
	}

	// If a sequential test is still undecided when all openings are used, the verdict does not ask
	// for more games.
	out := done(t, "", strings.Fields("match alphabeta:2 alphabeta:2 --game othello6 --games 2000 --sprt 0,50 --openings 2")...)
	if !strings.Contains(out, "undecided: the match ran out of openings") {
		t.Errorf("match --sprt without openings prints %q", out)
	}
}

// interruptible registers a variant of tic-tac-toe that calls f whenever a match asks for a start
// position.
func interruptible(t *testing.T, f func()) {
	t.Helper()
	known, rules := games.All, tictactoe.Rules
	rules.Name = "interruptible"
	rules.Start = func(rng *rand.Rand) tictactoe.State {
		f()
		return tictactoe.Rules.Start(rng)
	}
	games.Register(rules)
	t.Cleanup(func() { games.All = known })
}

// An interrupted match prints the result of the games so far. With a match log, the same command
// plays the remaining games and prints the result of an uninterrupted match. This works even if the
// program was killed while writing a line.
func TestMatchInterrupted(t *testing.T) {
	dealt, interrupt := 0, func() {}
	interruptible(t, func() {
		if dealt++; dealt == 12 {
			interrupt()
		}
	})
	file := filepath.Join(t.TempDir(), "games.jsonl")
	args := strings.Fields("match alphabeta:2 mcts:8 --game interruptible --games 100 --openings 2 --sprt 0,20 --workers 1 --json")
	logged := append(args, "--log", file)
	whole := decode[arena.Summary](t, done(t, "", args...))[0]
	interrupted := func(args ...string) (line arena.Summary, stderr string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		dealt, interrupt = 0, cancel
		var out, err bytes.Buffer
		status := execute(ctx, args, strings.NewReader(""), &out, &err)
		if status != exitFailed || !strings.HasPrefix(err.String(), "dojo: interrupted: match of alphabeta:2 against mcts:8, ") {
			t.Errorf("interrupted: status %d, stderr %q", status, err.String())
		}
		dealt = 1000
		return decode[arena.Summary](t, out.String())[0], err.String()
	}
	if line, stderr := interrupted(args...); !line.Interrupted || line.Games < 10 || line.Games >= whole.Games || !strings.HasSuffix(stderr, "; the games are not kept; with --log FILE, the same command could continue\n") {
		t.Errorf("interrupted it prints %+v and says %q, want the games so far", line, stderr)
	}
	line, stderr := interrupted(logged...)
	if !line.Interrupted || line.Games < 10 || line.Games >= whole.Games || !strings.HasSuffix(stderr, "; the games so far are in "+file+", and the same command continues\n") {
		t.Errorf("interrupted it prints %+v and says %q, want the games so far", line, stderr)
	}
	for _, cut := range []int{0, 7} { // number of bytes to cut off the last line
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text[:len(text)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again := decode[arena.Summary](t, done(t, "", logged...))[0]
		if again.Games != whole.Games || again.Elo != whole.Elo || again.LLR != whole.LLR || again.Interrupted {
			t.Errorf("continued the match is %+v, want %+v", again, whole)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(now, text[:bytes.LastIndexByte(text[:len(text)-cut], '\n')+1]) {
			t.Errorf("continued, the file has lost games: %v", err)
		}
	}
	if r := dojo(t, "", "match", "random", "greedy", "--game", "tictactoe", "--log", file); r.status != exitFailed || !strings.Contains(r.stderr, "is for interruptible, not for tictactoe") {
		t.Errorf("a log of another game: %+v", r)
	}
}
