package arena

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/othello"
)

var reversi = othello.Rules.Game()

// A program that speaks GTP hears each action once: the actions of the opening, its own actions
// only if it did not choose them, and no forced passes.
func TestGTPCommands(t *testing.T) {
	heard := filepath.Join(t.TempDir(), "heard")
	p := script(t, reversi, "gtp:", `while read line; do
		echo "$line" >> '`+heard+`'
		case $line in
		"genmove white") printf '\n= C3\n\n' ;;
		"genmove black") printf '= e6\nmore\n\n' ;;
		*) printf '=\n\n' ;;
		esac
	done`, nil)
	defer Release(p)
	for range 2 {
		p.NewGame(1)
		var actions []string
		for at := reversi.Start(nil); len(actions) < 4; {
			var a engine.Action
			var err error
			switch len(actions) {
			case 1, 2: // the program plays both sides here
				a, err = p.Choose(t.Context(), at)
			default:
				a, err = engine.ParseAction(at, []string{"d3", "", "", "f6"}[len(actions)])
			}
			if err != nil {
				t.Fatal(err)
			}
			actions = append(actions, at.ActionString(a))
			p.(follower).follow(at, a)
			at = at.Play(a)
		}
		if got := strings.Join(actions, " "); got != "d3 c3 e6 f6" {
			t.Errorf("the game is %s", got)
		}
	}
	const game = "boardsize 8\nclear_board\nplay black d3\ngenmove white\ngenmove black\n"
	if got, err := os.ReadFile(heard); err != nil || string(got) != game+game {
		t.Errorf("the program heard %q, %v, want two times %q", got, err, game)
	}
}

// A program that must pass is not asked.
func TestGTPForcedPass(t *testing.T) {
	p := script(t, reversi, "gtp:", "exit 1", nil).(*gtpPlayer)
	at, err := reversi.Parse("...oooo./...oooo./...oooo./...oooo./...oooo./...oooo./...oooo./xxxxxxxx second")
	if err != nil {
		t.Fatal(err)
	}
	p.at, p.pending = at, nil
	a, err := p.Choose(t.Context(), at)
	if err != nil || at.ActionString(a) != "pass" {
		t.Fatalf("the player chooses %d, %v, want a pass", a, err)
	}
	if p.follow(at, a); len(p.pending) > 0 || p.at != at.Play(a) {
		t.Errorf("after the pass %q are pending", p.pending)
	}
}

// Without a clock, a wrong answer ends the match. With a clock, the program loses the game. A
// program that resigns loses in both cases.
func TestGTPErrors(t *testing.T) {
	const always = "while read line; do printf '%b'; done"
	for says, lines := range map[string]string{
		`"D4" is not a legal move`:                      strings.ReplaceAll(always, "%b", "= D4\\n\\n"),
		`answers the command "boardsize 8" with the er`: strings.ReplaceAll(always, "%b", "? unacceptable size\\n\\n"),
		`begins with neither = nor ?: "hello"`:          strings.ReplaceAll(always, "%b", "hello\\n\\n"),
		"the program has ended":                         "read line",
		"no answer to":                                  "sleep 20",
		"more than 1000 lines":                          "printf '='; yes",
		"it resigns":                                    strings.ReplaceAll(always, "%b", "= Resign\\n\\n"),
	} {
		for _, clock := range []*Clock{nil, {Turn: 500 * time.Millisecond}} {
			if clock == nil && strings.HasPrefix(lines, "sleep") {
				continue // it would wait
			}
			p := script(t, reversi, "gtp:", lines, clock)
			_, err := p.Choose(t.Context(), reversi.Start(nil))
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: the error is %v, want %q in it", lines, err, says)
			}
			if forfeit := errors.As(err, &Forfeit{}); forfeit != (clock != nil || says == "it resigns") {
				t.Errorf("%s with clock %v: a forfeit is %v", lines, clock != nil, forfeit)
			}
			Release(p)
		}
	}
}

// A program that speaks GTP cannot be asked about any position.
func TestGTPPlaysWholeGames(t *testing.T) {
	p := script(t, reversi, "gtp:", "exit 1", nil)
	at := reversi.Start(nil).Play(19)
	if _, err := p.Choose(t.Context(), at); err == nil || !strings.Contains(err.Error(), "whole games") {
		t.Errorf("in %s the error is %v", at, err)
	}
	if _, err := External(board, "gtp:sh", nil); err == nil || !strings.Contains(err.Error(), `tictactoe has no protocol "gtp"`) {
		t.Errorf("a game without GTP gives %v", err)
	}
}

// GRhino, a program that is independent of this one, plays whole games and agrees about the rules.
func TestRhino(t *testing.T) {
	const rhino = "/usr/games/gtp-rhino" // from the Debian package grhino
	if _, err := exec.LookPath(rhino); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v; install the package grhino", err)
		}
		t.Skip("install the package grhino")
	}
	bot, err := External(reversi, "gtp:"+rhino+" --level=1", &Clock{Turn: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	passes := 0
	r, err := Match(t.Context(), Options{Game: reversi, A: bot, B: Random(), Games: 20, Seed: 1, OpeningPlies: 4, Workers: 2, Records: func(r Record) error {
		if r.Forfeit != "" {
			t.Errorf("%s after %s", r.Forfeit, r.Actions)
		}
		passes += strings.Count(strings.Join(r.Actions, " "), "pass")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Games() != 20 || r.Score() < 0.8 || passes == 0 {
		t.Errorf("%d games with %d passes, and a score of %v against random moves", r.Games(), passes, r.Score())
	}
}
