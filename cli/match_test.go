package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/arena"
)

func TestMatch(t *testing.T) {
	args := []string{"match", "alphabeta:2", "random", "--game", "tictactoe", "--games", "20", "--seed", "3"}
	lines := decode[arena.Summary](t, done(t, "", append(args, "--json")...))
	if len(lines) != 1 {
		t.Fatalf("match --json prints %d objects, want one", len(lines))
	}
	r := lines[0]
	if r.A != "alphabeta:2" || r.B != "random" || r.Games != 20 || r.Wins+r.Losses+r.Draws != 20 {
		t.Errorf("match --json prints %+v", r)
	}
	if r.Wins <= r.Losses || !(r.EloLow < r.Elo && r.Elo < r.EloHigh) {
		t.Errorf("alphabeta:2 against random: %+v; want it to win, within an interval", r)
	}
	if again := decode[arena.Summary](t, done(t, "", append(args, "--json", "--workers", "1")...))[0]; again != r {
		t.Errorf("the same match with one worker ends %+v, not %+v", again, r)
	}
	if text := done(t, "", args...); !strings.Contains(text, "alphabeta:2") || !strings.Contains(text, "Elo") {
		t.Errorf("match prints %q, want a table with the players and Elo", text)
	}
}

// A sequential test ends a match when it is decided, and says how; at the latest after its games.
func TestMatchWithTest(t *testing.T) {
	args := []string{"match", "alphabeta:2", "random", "--game", "oanquan", "--sprt", "0,60", "--games", "400"}
	r := decode[arena.Summary](t, done(t, "", append(args, "--json")...))[0]
	if r.Tested == nil || r.Verdict != "accept" || r.LLR < r.LLRHigh || r.LLRHigh < 2.94 || r.LLRLow != -r.LLRHigh || r.Games >= 400 {
		t.Errorf("match --sprt --json prints %+v", r)
	}
	if text := done(t, "", args...); !strings.Contains(text, "accepted: A is stronger by 60 Elo rather than by 0") || !strings.Contains(text, " with 2 points") {
		t.Errorf("match --sprt prints %q", text)
	}
	if text := done(t, "", append(args[:6:6], "0,60", "--games", "4")...); !strings.Contains(text, "undecided") {
		t.Errorf("a short match prints %q", text)
	}
	for _, bad := range []string{"10,0", "1", "1,2,3", "0,x", "0,NaN"} {
		if r := dojo(t, "", "match", "random", "random", "--game", "tictactoe", "--sprt", bad); r.status != exitUsage {
			t.Errorf("--sprt %s: status %d, %q", bad, r.status, r.stderr)
		}
	}
}

// A match of a game with scores tells them, and from openings that the bot in the box calls
// balanced.
func TestMatchOfGamesWithPoints(t *testing.T) {
	args := []string{"match", "greedy", "random", "--game", "oanquan", "--games", "6", "--balanced", "0.5"}
	var got struct {
		Pairs  []float64
		Points []float64
		Margin struct{ Mean, Low, High float64 }
	}
	out := done(t, "", append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Pairs) != 5 || len(got.Points) != 2 || got.Points[0] <= got.Points[1] || got.Margin.Low >= got.Margin.High {
		t.Errorf("match --json prints %s, want pairs, points and a margin", out)
	}
	if text := done(t, "", args...); !strings.Contains(text, "points ") || !strings.Contains(text, " a margin of +") {
		t.Errorf("match prints %s, want points and a margin", text)
	}
}

// A match that runs out of openings says so, and ends if its players would repeat their games. With
// luck in it, it goes on, and counts no game twice.
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
	if luck.Games != 60 || luck.Distinct != 9 || luck.Repeats == 0 || !strings.Contains(r.stderr, "of 60 games repeat an earlier one") || !strings.Contains(r.stderr, "--openings") {
		t.Errorf("with luck: %+v and on stderr %q, want all games, and how many repeat", luck, r.stderr)
	}
	args[4] = "18"
	r = dojo(t, "", args...)
	short := decode[arena.Summary](t, r.stdout)[0]
	if short.Elo != line.Elo || short.EloLow != line.EloLow || short.EloHigh != line.EloHigh || short.Repeats != 0 || r.stderr != "" {
		t.Errorf("18 games: %+v and on stderr %q, want the Elo of 40 games and no word", short, r.stderr)
	}
}

func TestMatchFindsTheGameInAModel(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	for _, a := range []string{model, model + ":4", model + "@1ms"} {
		r := decode[arena.Summary](t, done(t, "", "match", a, "random", "--games", "2", "--simulations", "4", "--json"))[0]
		if r.Games != 2 {
			t.Errorf("match of %s: %+v, want two games", a, r)
		}
	}
}

func TestEvaluateOpponents(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	args := []string{"evaluate", model, "--against", "random,mcts:20", "--games", "4", "--simulations", "8"}
	lines := decode[arena.Summary](t, done(t, "", append(args, "--json")...))
	if len(lines) != 2 || lines[0].B != "random" || lines[1].B != "mcts:20" || lines[0].A != model+":8" {
		t.Errorf("evaluate --json prints %+v, want a line for each opponent", lines)
	}
	if text := done(t, "", args...); !strings.Contains(text, "mcts:20") || !strings.Contains(text, model+":8") {
		t.Errorf("evaluate prints %q, want a table with the model and its opponents", text)
	}
}

// TestEvaluateSolved: of four positions one has nothing to choose and one is
// not wholly known; a search of 300 visits solves the others.
func TestEvaluateSolved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "solved.jsonl")
	text := `{"pos":"xx.oo....","moves":{"c3":"W1","c2":"D","a1":"L2","b1":"L2","c1":"L2"}}
{"pos":"x.x.o....","moves":{"b3":"D","a2":"L2","c2":"L2","a1":"L2","b1":"L2","c1":"L2"}}
{"pos":"xxo.xo..o","moves":{"a2":"D","a1":"D","b1":"D"}}
{"pos":"xx.oo....","moves":{"c3":"W1","c2":"?","a1":"L2","b1":"L2","c1":"L2"}}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Positions, Skipped, Kept int
		Share                    float64
	}
	out := done(t, "", "evaluate", checkpoint(t, "tictactoe"), "--solved", path, "--simulations", "300", "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Positions != 2 || got.Skipped != 2 || got.Kept != 2 || got.Share != 1 {
		t.Errorf("evaluate --solved prints %s, want 2 positions kept and 2 skipped", out)
	}
	out = done(t, "", "evaluate", checkpoint(t, "tictactoe"), "--solved", path, "--time", "1s", "--workers", "2", "--json")
	if !strings.Contains(out, `"kept":2`) || !strings.Contains(out, `"time_ms":1000`) || strings.Contains(out, "simulations") {
		t.Errorf("evaluate --solved --time prints %s, want 2 positions kept in 1000 ms", out)
	}

	// Any player can be asked; cat answers with the position, which is not an action.
	args := []string{"evaluate", "--game", "tictactoe", "--solved", path, "--player"}
	if out = done(t, "", append(args, "alphabeta@1000n")...); !strings.Contains(out, "2 of 2 positions") || !strings.Contains(out, "1-2 plies") {
		t.Errorf("evaluate --player alphabeta@1000n prints %s, want 2 of 2 positions, one of them won in 1-2 plies", out)
	}
	if r := dojo(t, "", append(args, "cmd:cat")...); r.status != exitFailed || !strings.Contains(r.stderr, "position \"x") {
		t.Errorf("evaluate --player cmd:cat: status %d, %q; want an error that names the position", r.status, r.stderr)
	}
}

// What models of a run answer is kept in the run, once for each model and budget: what
// was printed as JSON. A model in floats, and one that is not the run's, leave no trace.
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
	done(t, "", "evaluate", dir, "--solved", path, "--simulations", "5") // the best: one of the two, which becomes the last line
	text, err := os.ReadFile(filepath.Join(dir, "solved.jsonl"))
	got, lines := strings.Split(string(text), "\n"), strings.Split(want, "\n")
	slices.Sort(got)
	slices.Sort(lines)
	if err != nil || !slices.Equal(got, lines) {
		t.Errorf("solved.jsonl has\n%s(%v), want in any order\n%s", text, err, want)
	}
}

// Under a clock a program that is late, or answers what is not legal, loses
// the game; without one it ends the match.
func TestClock(t *testing.T) {
	for program, reason := range map[string]string{"sleep 60": "no answer", "false": "it has ended", "yes": "is not a legal action"} {
		if _, err := exec.LookPath(strings.Fields(program)[0]); err != nil {
			t.Skip(err)
		}
		args := []string{"match", "cmd:" + program, "random", "--game", "tictactoe", "--games", "4", "--json"}
		if program == "yes" {
			if r := dojo(t, "", args...); r.status != exitFailed {
				t.Errorf("without a clock, %q: status %d", program, r.status)
			}
		}
		clock := "1m" // which no program that answers or ends uses up
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

// A bot that speaks a game's own protocol is started for every game.
func TestProtocolPlayers(t *testing.T) {
	model := checkpoint(t, "onitama")
	bot := "cmd:codingame:" + dojoProgram(t) + " bot " + model + " --simulations 20 --protocol codingame"
	got := decode[arena.Summary](t, done(t, "", "match", bot, "random", "--game", "onitama", "--games", "6", "--openings", "0", "--json"))[0]
	same := decode[arena.Summary](t, done(t, "", "match", model+":20", "random", "--games", "6", "--openings", "0", "--json"))[0]
	if got.Games != 6 || got.Wins != same.Wins || got.Losses != same.Losses {
		t.Errorf("through its protocol the bot comes to %+v, by itself to %+v", got, same)
	}
}

// TestMatchNamesAMistypedModel mistypes the number behind a model, and its path.
func TestMatchNamesAMistypedModel(t *testing.T) {
	dir := t.TempDir()
	for _, player := range []string{dir + "/gone", dir + ":abc", dir + ":100000000"} {
		if _, err := gameOf("", "random", player); err == nil || !strings.Contains(err.Error(), player) {
			t.Errorf("of player %s dojo says %v", player, err)
		}
	}
}
