package arena

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// With a match log, a match plays only the games that the log lacks. The result equals the result
// of an uninterrupted match and of a match without a log.
func TestMatchLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	a, b := Contestant{Player: "alphabeta:2"}, Contestant{Player: "random"}
	play := func(a, b Contestant, games int) (r Result, played int) {
		t.Helper()
		l, err := OpenMatchLog(board.Name, path)
		if err != nil {
			t.Fatal(err)
		}
		makers := map[string]Contestant{"alphabeta:2": toDepth(alphaBetaSearch, 2), "random": Random()}
		o := Options{Game: board, A: makers[a.Player], B: makers[b.Player], Games: games, Seed: 3, OpeningPlies: 1, Workers: 2, Log: l}
		o.A.Player, o.B.Player = a.Player, b.Player
		o.Records = func(Record) error { played++; return nil }
		if r, err = Match(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return r, played
	}
	if _, played := play(a, b, 6); played != 6 {
		t.Errorf("the first time %d games of 6 were played", played)
	}
	if _, played := play(a, b, 6); played != 0 {
		t.Errorf("the second time %d games were played", played)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"a":{"player":"alphab`...), 0o644); err != nil {
		t.Fatal(err)
	}
	r, played := play(a, b, 14)
	if played != 8 {
		t.Errorf("of 14 games 8 were missing, and %d were played", played)
	}
	whole := match(t, Options{A: toDepth(alphaBetaSearch, 2), B: Random(), Games: 14, Seed: 3, OpeningPlies: 1})
	if !reflect.DeepEqual(r, whole) {
		t.Errorf("in parts the match is %+v, as a whole %+v", r, whole)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := os.WriteFile(path, append(append(slices.Clone(lines[0]), lines[3]...), lines[1]...), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, played := play(a, b, 14); played != 10 || !reflect.DeepEqual(again, whole) {
		t.Errorf("without the second pair of three, %d games were played, to %+v; want 10, to %+v", played, again, whole)
	}
	turned, played := play(b, a, 10)
	if played != 0 || turned.Wins != r.Losses || turned.Losses != r.Wins || turned.Games() != 14 {
		t.Errorf("from the other side %+v is %+v, with %d games played", r, turned, played)
	}
	now, err := os.ReadFile(path)
	if err != nil || bytes.Count(now, []byte("\n")) != 8 {
		t.Errorf("of the file %d bytes of %d stayed, %v", len(text), len(now), err)
	}
	l, err := OpenMatchLog(board.Name, path)
	if err != nil {
		t.Fatal(err)
	}
	rungs := l.Rungs()
	if len(rungs) != 2 || rungs[0].Player != "alphabeta:2" || rungs[1].Elo != 0 || rungs[1].Games != 14 {
		t.Errorf("the ladder is %+v", rungs)
	}
}

// A model is identified by its content and its budget, wherever its file is.
func TestContestants(t *testing.T) {
	of := func(player, model string) Contestant { return Contestant{Player: player, Model: model} }
	id := of("runs/x:64", "abc").id()
	if other := of("runs/x/models/000003.safetensors:64", "abc").id(); other != id {
		t.Errorf("two names of a model are %q and %q", id, other)
	}
	for _, c := range []Contestant{of("runs/x:65", "abc"), of("runs/x@64ms", "abc"), of("runs/x:64", "abd"), of("runs/x#float32:64", "abc"), of("runs/x:64", "")} {
		if c.id() == id {
			t.Errorf("%s %s is taken for another player", c.Player, c.Model)
		}
	}
}

// The search constants of a model are part of the player's id. A model that stores different
// constants for playing is a different player. A model that stores none, but was trained with
// special constants, also gets a new id: older programs played it with those constants, and the
// games in their match logs belong to the old player.
func TestContestantsWithConstants(t *testing.T) {
	c := tiny()
	trained, other := mcts.Default().Constants, think.Players()
	trained.CPuct, other.CPuct = 1.51, 0.9
	ids := map[string]bool{}
	for _, meta := range []model.Meta{{}, {Search: think.Record(mcts.Default().Constants)}, {Search: think.Record(trained)}, {Search: think.Record(trained), Players: think.Record(think.Players())}, {Players: think.Record(other)}} {
		c.Search, c.Players = meta.Search, meta.Players
		player, err := Model(noughts, "x", c, think.Budget{Visits: 8})
		if err != nil {
			t.Fatal(err)
		}
		ids[player.id()] = true
	}
	if len(ids) != 3 {
		t.Errorf("the players are %v, want three", ids)
	}
}

// A new log begins with the key match_log. Logs of older programs, whose first line has the key
// ledger, can still be read.
func TestMatchLogKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	if _, err := OpenMatchLog(board.Name, path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if want := `{"match_log":1,"game":"tictactoe"}` + "\n"; err != nil || string(text) != want {
		t.Errorf("a new log is %q, %v; want %q", text, err, want)
	}
	pair := `{"a":{"player":"x"},"b":{"player":"y"},"seed":1,"plies":2,"pair":0,"opening":"","games":[{},{}]}` + "\n"
	for _, key := range []string{"match_log", "ledger"} {
		if err := os.WriteFile(path, []byte(`{"`+key+`":1,"game":"tictactoe"}`+"\n"+pair), 0o644); err != nil {
			t.Fatal(err)
		}
		if l, err := OpenMatchLog(board.Name, path); err != nil || len(l.matches) != 1 {
			t.Errorf("a log with the key %s is read as %+v, %v", key, l, err)
		}
	}
}

// If a file is not a match log of the game, OpenMatchLog returns an error and does not change the
// file.
func TestMatchLogRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"game: tictactoe": "it is not a match log", "": "it is not a match log",
		`{"match_log":7,"game":"tictactoe"}` + "\n": "version 7", `{"match_log":1,"game":"chess"}` + "\n": "is for chess",
		`{"match_log":1,"game":"tictactoe"}` + "\n{}\n": "line 2: the line is not a pair",
		`{"match_log":1,"game":"tictactoe"}` + "\n" + `{"a":{"player":"x"},"b":{"player":"y"},"pair":-1,"opening":"","games":[{},{}]}` + "\n": "line 2: the line is not a pair",
		`{"match_log":1,"game":"tictactoe"}` + "\nx\n": "line 2",
	} {
		path := filepath.Join(t.TempDir(), "l.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenMatchLog(board.Name, path); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q gives %v, want the file and %q", text, err, says)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%q became %q, %v", text, now, err)
		}
	}
}
