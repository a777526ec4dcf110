package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMisspelt: what is missing, too much or misspelt on the command line is named in
// words that say what to type, with status 2; nothing is begun.
func TestMisspelt(t *testing.T) {
	t.Chdir(t.TempDir())
	good := checkpoint(t, "tictactoe")
	for want, args := range map[string][]string{
		"TEACHER is missing":                                                   {"distil"},
		"MODEL or RUN is missing":                                              {"evaluate"},
		"A and B are missing":                                                  {"match"},
		"B is missing":                                                         {"match", "random"},
		"RUN is missing":                                                       {"report"},
		"GAME, POSITION and DEPTH are missing":                                 {"rules", "perft"},
		"--join is missing":                                                    {"worker"},
		`--join "trainer" is not of the form HOST:PORT`:                        {"worker", "--join", "trainer"},
		"--cards names 2 cards, not five":                                      {"solve", "onitama", "--cards", "1,2"},
		`"c" is one argument too many for: match A B`:                          {"match", "a", "b", "c"},
		`version takes no argument, and is given "now"`:                        {"version", "now"},
		`--player names who is measured, and so does "x"`:                      {"evaluate", "x", "--player", "random"},
		`--games "two" is not a whole number`:                                  {"match", "a", "b", "--games", "two"},
		`--clock "3" is not a time above 0, such as 30ms or 2h`:                {"match", "a", "b", "--clock", "3"},
		`--clock "0s" is not a time above 0`:                                   {"match", "a", "cmd:b", "--clock", "0s"},
		`--movetime "0s" is not a time above 0`:                                {"analyse", good, "--movetime", "0s"},
		`--movetime "-1s" is not a time above 0`:                               {"review", "x", "--movetime", "-1s"},
		`--movetime "0" is not a time above 0`:                                 {"bot", good, "--movetime", "0"},
		`player "box@0s": "0s" is not a time above 0`:                          {"match", "box@0s", "random", "--game", "tictactoe"},
		`no player is called "box#float64"; a player is random,`:               {"play", "tictactoe", "--second", "box#float64"},
		`no player is called "./m:x"; a player is random,`:                     {"match", "./m:x", "random"},
		`no player is called "rnadom"`:                                         {"match", "rnadom", "box:tictactoe"},
		`--cards "1,x" is not whole numbers with commas between them`:          {"solve", "onitama", "--cards", "1,x"},
		`--balanced "much" is not a number`:                                    {"match", "a", "b", "--balanced", "much"},
		`--json "maybe" is not true or false`:                                  {"match", "a", "b", "--json=maybe"},
		`--verify "200%": a share is written like 2% or 0.5%`:                  {"train", "--verify", "200%"},
		"--rows is for a shard, and box:tictactoe is none":                     {"inspect", "box:tictactoe", "--rows", "2"},
		"--token and --token-file are for --listen and --nats":                 {"train", "--token", "x"},
		"--insecure is for --listen and --nats":                                {"match", "a", "b", "--insecure"},
		"--listen 0.0.0.0:0 lets other machines in, and without a":             {"train", "--listen", "0.0.0.0:0"},
		`--nats "http://host" is not the URL of a NATS server`:                 {"train", "--nats", "http://user:password@host"},
		`--join "http://host" is not the URL of a NATS server`:                 {"worker", "--join", "http://host"},
		"mcts.tactics.tables: there are no tables of endings for tictactoe":    {"train", "tictactoe", "--set", "mcts.tactics.tables=true"},
		`no game is called "checkers"; there are onitama,`:                     {"train", "--set", "game=checkers"},
		`--first-movetime "0s" is not a time above 0`:                          {"bot", good, "--movetime", "1s", "--first-movetime", "0s"},
		`--time "0s" is not a time above 0`:                                    {"evaluate", good, "--solved", "x", "--time", "0s"},
		`--wait "0s" is not a time above 0`:                                    {"worker", "--join", "127.0.0.1:1", "--wait", "0s"},
		`--for "-1m" is not a time above 0`:                                    {"train", "--for", "-1m"},
		`--seed "-3" is not a whole number from 0`:                             {"play", "tictactoe", "--seed", "-3"},
		`no game is called "chess"; there are onitama,`:                        {"rules", "show", "chess"},
		`no game is called "go"; there are onitama,`:                           {"play", "go"},
		`no game is called "shogi"; there are onitama,`:                        {"match", "random", "random", "--game", "shogi"},
		`no game is called "xiangqi"; there are onitama,`:                      {"analyse", "--game", "xiangqi"},
		"game tictactoe has no options":                                        {"solve", "tictactoe:turns=3", "--sample", "3", "--json"},
		`no player is called "wizard"; a player is random,`:                    {"match", "wizard", "random", "--game", "tictactoe"},
		`no player is called "witch"; a player is random,`:                     {"evaluate", good, "--against", "witch"},
		`"1000000000" is not a number from 1 to 1000000`:                       {"match", "mcts:1000000000", "random", "--game", "tictactoe"},
		"in match only programs play; a person plays in: dojo play tictactoe":  {"match", "human", "random", "--game", "tictactoe"},
		"in evaluate only programs play; a person plays in: dojo play GAME":    {"evaluate", good, "--against", "human"},
		`tictactoe does not speak the protocol "uci"`:                          {"bot", good, "--protocol", "uci"},
		`no benchmark's name begins with "nosuch"`:                             {"bench", "nosuch"},
		`no preset is called "chess"; there are`:                               {"train", "chess"},
		`no preset is called "goban"; there are`:                               {"selfplay", "goban"},
		`--set mcts.sims=4: unknown key "sims"; mcts has simulations, cpuct, `: {"train", "--set", "mcts.sims=4"},
		"--set gate.games=3: gate: games: 3":                                   {"train", "--set", "gate.games=3"},
		`--listen "127.0.0.1:99999": 99999 is no port`:                         {"serve", "--listen", "127.0.0.1:99999"},
		`--serve "nowhere" is not of the form HOST:PORT`:                       {"train", "--serve=nowhere"},
		`unknown command "mtch" for "dojo"; did you mean match`:                {"mtch"},
	} {
		r := dojo(t, "", args...)
		if r.status != exitUsage || r.stdout != "" || !strings.HasPrefix(r.stderr, "dojo: ") || !strings.Contains(r.stderr, want) {
			t.Errorf("dojo %q: status %d, stdout %q, stderr %q; want %q", args, r.status, r.stdout, r.stderr, want)
		}
		oneErrorLine(t, args, r)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("mistyped commands left %v, %v", left, err)
	}
}

// TestCarriedArguments: a program that carries a model need not be told one.
func TestCarriedArguments(t *testing.T) {
	a := &app{carried: tiny(t, "tictactoe", "carried", 1)}
	root := a.root()
	for want, words := range map[string][]string{
		"dojo [MODEL]": nil, "evaluate [MODEL|RUN]": {"evaluate"}, "export [MODEL]": {"export"},
		"distil [TEACHER]": {"distil"}, "play [GAME [MODEL]]": {"play"}, "solve GAME": {"solve"},
	} {
		cmd, _, err := root.Find(words)
		if err != nil || cmd.Use != want {
			t.Errorf("%q is used as %q (%v), want %q", words, cmd.Use, err, want)
			continue
		}
		if err := cmd.Args(cmd, nil); (err == nil) != (want != "solve GAME") {
			t.Errorf("%s without arguments: %v", want, err)
		}
		if err := cmd.Args(cmd, []string{"a", "b", "c"}); err == nil {
			t.Errorf("%s takes three arguments", want)
		}
	}
}

// TestStageNeedsARun: a misspelt folder begins no run; with a preset a stage begins one.
func TestStageNeedsARun(t *testing.T) {
	for _, verb := range []string{"selfplay", "fit", "gate"} {
		dir := filepath.Join(t.TempDir(), "run")
		r := dojo(t, "", verb, "--run", dir)
		if _, err := os.Stat(dir); r.status != exitFailed || err == nil || !strings.Contains(r.stderr, dir+": no run here") || !strings.Contains(r.stderr, "name a PRESET") {
			t.Errorf("%s where no run is: %+v", verb, r)
		}
	}
}
