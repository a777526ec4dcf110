package serve

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/play"
)

// With Options.Games, the server saves a finished game as text, and can read this text.
func TestKeep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "games")
	s, err := New(Options{Runs: []rundir.Folder{smallRun(t)}, Games: folder})
	if err != nil {
		t.Fatal(err)
	}
	s.setAddress(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7531})
	over := `{"game":"tictactoe","position":"xx.oo....","moves":["c3"]}`
	name := get[string](t, s, "/api/keep", over)
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	entry, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	g, err := play.Read(entry.Game.Game, string(text))
	if err != nil || len(g.Actions) != 1 || g.Now().Outcome().String() != "first" {
		t.Errorf("%s reads back as %v, %v", text, g, err)
	}
	if again := get[string](t, s, "/api/keep", over); again == name {
		t.Errorf("two games are kept in one file, %s", name)
	}
	if site := s.test(t, "/site.json", "").Body.String(); !strings.Contains(site, `"keeps":true`) {
		t.Errorf("the pages are told %s", site)
	}
	if r := s.test(t, "/api/keep", `{"game":"tictactoe","position":"xx.oo....","moves":["b1"]}`); r.Code != 400 {
		t.Errorf("a game that goes on is answered %d", r.Code)
	}
	if r := newServer(t, smallRun(t)).test(t, "/api/keep", over); r.Code != 404 && r.Code != 405 {
		t.Errorf("without a folder a game is answered %d", r.Code)
	}
}

// New returns an error if the folder for games is not writable.
func TestKeepNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	if _, err := New(Options{Runs: []rundir.Folder{smallRun(t)}, Games: file}); err == nil {
		t.Error("a file is taken for the folder of games")
	}
}
