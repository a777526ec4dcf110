package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/arena"
)

// When a match has used all openings, it prints that. If both players are deterministic, it then
// ends. Otherwise it continues, and counts repeated games only once.
func TestMatchRepeats(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	args := []string{"match", model + ":8", model + ":32", "--games", "40", "--openings", "1", "--json"}
	r := dojo(t, "", args...)
	line := decode[arena.Summary](t, r.stdout)[0]
	if line.Games != 18 || line.Wins+line.Losses+line.Draws != 18 || line.Distinct != 9 || line.Repeats != 0 || line.Plies != 1 {
		t.Errorf("match --json prints %+v, want 18 games of 9 openings", line)
	}
	if !strings.Contains(r.stderr, "only 9 different openings of 1 random actions") || !strings.Contains(r.stderr, "ends after 18 of 40 games") || !strings.Contains(r.stderr, "--openings") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("stderr %q, want a line that says how many openings there are, and --openings", r.stderr)
	}
	r = dojo(t, "", "match", model+"#random=0.1:8", model+":32", "--games", "60", "--openings", "1", "--json")
	luck := decode[arena.Summary](t, r.stdout)[0]
	if luck.Games != 60 || luck.Distinct != 9 || luck.Repeats == 0 || !strings.Contains(r.stderr, "of 60 games repeat an earlier game") || !strings.Contains(r.stderr, "--openings") {
		t.Errorf("with luck: %+v and on stderr %q, want all games, and how many repeat", luck, r.stderr)
	}
	args[4] = "18"
	r = dojo(t, "", args...)
	short := decode[arena.Summary](t, r.stdout)[0]
	if short.Elo != line.Elo || short.EloLow != line.EloLow || short.EloHigh != line.EloHigh || short.Repeats != 0 || r.stderr != "" {
		t.Errorf("18 games: %+v and on stderr %q, want the Elo of 40 games and no word", short, r.stderr)
	}
}

// Models that read different features of a game can play against each other, in a match of this
// process and in one of workers. Models of games with different rules cannot.
func TestMatchOfFeatures(t *testing.T) {
	none, patterns := checkpoint(t, "connectfour:features=none"), checkpoint(t, "connectfour:features=patterns")
	for _, game := range []string{"", "connectfour", "connectfour:features=patterns"} {
		args := []string{"match", none + ":8", patterns + ":8", "--games", "4", "--json"}
		if game != "" {
			args = append(args, "--game", game)
		}
		r := dojo(t, "", args...)
		if line := decode[arena.Summary](t, r.stdout); r.status != 0 || len(line) != 1 || line[0].Games != 4 {
			t.Errorf("match of --game %q: status %d, %q, %q; want 4 games", game, r.status, r.stdout, r.stderr)
		}
	}
	r := dojo(t, "", "match", checkpoint(t, "wallonitama:turns=20")+":8", checkpoint(t, "wallonitama:turns=30")+":8", "--games", "2")
	if r.status != exitFailed || !strings.Contains(r.stderr, "wallonitama:turns=30, not wallonitama:turns=20") {
		t.Errorf("a match of different rules: status %d, %q; want an error that names both games", r.status, r.stderr)
	}
}

// An external program can be tested on solved positions. The test uses the program cat, which
// answers with the position itself. That is not an action, so the command fails with an error that
// names the position.
func TestSolvedByAProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "solved.jsonl")
	text := `{"pos":"xx.oo....","moves":{"c3":"W1","c2":"D","a1":"L2","b1":"L2","c1":"L2"}}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := dojo(t, "", "evaluate", "--player", "cmd:cat", "--game", "tictactoe", "--solved", path)
	if r.status != exitFailed || !strings.Contains(r.stderr, "position \"x") {
		t.Errorf("evaluate --player cmd:cat: status %d, %q; want an error that names the position", r.status, r.stderr)
	}
}

// The run's folder stores the results of its models in solved positions: one result per model and
// budget, in the JSON format that the command prints. It does not store results of models that
// compute in floats or that are outside the run.
func TestEvaluateSolvedIsKept(t *testing.T) {
	dir := trained(t)
	path := filepath.Join(t.TempDir(), "positions.jsonl")
	if err := os.WriteFile(path, []byte(`{"pos":"xx.oo....","moves":{"c3":"W1","c2":"D","a1":"L2","b1":"L2","c1":"L2"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	first, last := filepath.Join(dir, "models", "000000.safetensors"), filepath.Join(dir, "models", "000001.safetensors")
	copied := filepath.Join(t.TempDir(), "000000.safetensors")
	if err := os.Link(first, copied); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, model := range []string{copied, first + "#float32", last, dir + "/./models/000001.safetensors", first} {
		out := done(t, "", "evaluate", model, "--solved", path, "--simulations", "5", "--json")
		switch model {
		case last, first:
			want += out
		}
	}
	want += done(t, "", "evaluate", last, "--solved", path, "--simulations", "6", "--json")
	// The file already has a line for the run's best model with this budget. Evaluating again moves
	// this line to the end.
	done(t, "", "evaluate", dir, "--solved", path, "--simulations", "5")
	text, err := os.ReadFile(filepath.Join(dir, "solved.jsonl"))
	got, lines := strings.Split(string(text), "\n"), strings.Split(want, "\n")
	slices.Sort(got)
	slices.Sort(lines)
	if err != nil || !slices.Equal(got, lines) {
		t.Errorf("solved.jsonl has\n%s(%v), want in any order\n%s", text, err, want)
	}
}

// With --clock, a program that is late or answers with an illegal action loses the game. Without
// --clock, an illegal action ends the match.
func TestClock(t *testing.T) {
	for program, reason := range map[string]string{"sleep 60": "no answer", "false": "the program has ended", "yes": "is not a legal action"} {
		if _, err := exec.LookPath(strings.Fields(program)[0]); err != nil {
			t.Skip(err)
		}
		args := []string{"match", "cmd:" + program, "random", "--game", "tictactoe", "--games", "4", "--json"}
		if program == "yes" {
			if r := dojo(t, "", args...); r.status != exitFailed {
				t.Errorf("without a clock, %q: status %d", program, r.status)
			}
		}
		clock := "1m" // more than enough for a program that answers or ends
		if reason == "no answer" {
			clock = "100ms"
		}
		r := dojo(t, "", append(args, "--clock", clock)...)
		line := decode[arena.Summary](t, r.stdout)[0]
		if line.Losses != 4 || line.Clocked == nil || line.Forfeits != [2]int{4, 0} {
			t.Errorf("%q: %+v, want four forfeits", program, line)
		}
		if strings.Count(r.stderr, "\n") != 4 || strings.Count(r.stderr, reason) != 4 {
			t.Errorf("%q: stderr %q, want a line a forfeit with its reason (%s)", program, r.stderr, reason)
		}
	}
}

// A bot that speaks a game's own protocol is restarted for each game.
func TestProtocolPlayers(t *testing.T) {
	model := checkpoint(t, "onitama")
	bot := "cmd:codingame:" + dojoProgram(t) + " bot " + model + " --simulations 20 --protocol codingame"
	got := decode[arena.Summary](t, done(t, "", "match", bot, "random", "--game", "onitama", "--games", "6", "--openings", "0", "--json"))[0]
	same := decode[arena.Summary](t, done(t, "", "match", model+":20", "random", "--games", "6", "--openings", "0", "--json"))[0]
	if got.Games != 6 || got.Wins != same.Wins || got.Losses != same.Losses {
		t.Errorf("through its protocol the bot comes to %+v, by itself to %+v", got, same)
	}
}

// A bot that speaks GTP plays the same games through the protocol as without it.
func TestGTPPlayers(t *testing.T) {
	model := checkpoint(t, "othello")
	bot := "cmd:gtp:" + dojoProgram(t) + " bot " + model + " --simulations 20 --protocol gtp"
	got := decode[arena.Summary](t, done(t, "", "match", bot, "alphabeta:1", "--game", "othello", "--games", "10", "--openings", "4", "--json"))[0]
	same := decode[arena.Summary](t, done(t, "", "match", model+":20", "alphabeta:1", "--games", "10", "--openings", "4", "--json"))[0]
	if got.Games != 10 || got.Wins != same.Wins || got.Losses != same.Losses || got.Points != same.Points {
		t.Errorf("through GTP the bot comes to %+v, by itself to %+v", got, same)
	}
}

// TestMatchNamesAMistypedModel checks the error messages for a model name with a wrong budget and
// for a wrong path.
func TestMatchNamesAMistypedModel(t *testing.T) {
	dir := t.TempDir()
	for _, player := range []string{dir + "/gone", dir + ":abc", dir + ":100000000"} {
		if _, err := gameOf("", "random", player); err == nil || !strings.Contains(err.Error(), player) {
			t.Errorf("of player %s dojo says %v", player, err)
		}
	}
}
