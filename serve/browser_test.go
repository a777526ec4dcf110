package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/engine/connectfour"
	"dojo.example/engine/othello"
	"dojo.example/games/box"
	"dojo.example/model"
)

// TestInTheBrowser tests the pages in Chromium: the dashboard in seven tabs while a run writes and
// after a restart of the server, the list of games, the page for playing, rejected requests, a
// phone-sized screen, and a report opened from a file. If DOJO_PICTURES names a folder, the test
// saves screenshots of the pages there.
func TestInTheBrowser(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install Playwright with: npm install --prefix serve/independent --no-package-lock")
	}
	chromium := chromiumProgram(t)
	s := newTheatre(t)
	report := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := Report(f, []rundir.Folder{smallRun(t), otherRun(t, "other"), otherRun(t, "third")}, "test"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	found := s.look(t, "CHROMIUM="+chromium, report)
	for _, e := range found.Errors {
		t.Errorf("a page says %s", e)
	}
	for _, e := range found.Faults {
		t.Error(e)
	}
}

// chromiumProgram returns the path of Chromium.
func chromiumProgram(t *testing.T) string {
	t.Helper()
	chromium := cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium")
	if _, err := os.Stat(chromium); err != nil {
		t.Skip("install Chromium, or name it in CHROMIUM")
	}
	return chromium
}

// A theatre is a run that the test lets grow, and a server that shows it. The test can stop and
// restart the server.
type theatre struct {
	folder  rundir.Folder
	others  []rundir.Folder // two runs of another game, and one that cannot be read
	models  []*model.Checkpoint
	records [][]byte // records to be written later, without their seals (hashes)
	next    int
	address string
	stop    func()
}

// otherRun returns a run of another game. The test only opens its dashboard.
func otherRun(t *testing.T, name string) rundir.Folder {
	t.Helper()
	f := rundir.Folder(filepath.Join(t.TempDir(), name))
	if err := os.Rename(string(smallRun(t)), string(f)); err != nil {
		t.Fatal(err)
	}
	change(t, f, func(c *configs.Config) { c.Game = "onitama" })
	return f
}

// change changes the configuration of an existing run, which users must not do.
func change(t testing.TB, f rundir.Folder, how func(c *configs.Config)) {
	t.Helper()
	text, err := f.Config()
	if err != nil {
		t.Fatal(err)
	}
	frozen, err := configs.Parse("run.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	how(&frozen.Config)
	if text, err = frozen.Text(); err != nil {
		t.Fatal(err)
	}
	write(t, f.ConfigPath(), text)
}

// newTheatre returns a theatre whose run has three generations. At first, only one of them is
// visible.
func newTheatre(t *testing.T) *theatre {
	t.Helper()
	s := &theatre{folder: smallRun(t), others: []rundir.Folder{otherRun(t, "other"), otherRun(t, "third"), otherRun(t, "damaged")}, next: 1, address: "127.0.0.1:0"}
	_, rest, _ := bytes.Cut(takeBack(t, s.folder, 1), []byte(`"generation":1`))
	for g := 1; g <= 2; g++ {
		s.records = append(s.records, fmt.Appendf(nil, `{"generation":%d%s`, g, rest))
	}
	write(t, s.folder.Solved(), []byte(`{"model":"000000","solved":"positions.jsonl","positions":20,"share":0.75}`+"\n"))
	change(t, s.folder, func(c *configs.Config) { c.Train.Generations = 3 })
	write(t, s.others[2].ConfigPath(), []byte("format: [3"))
	s.models = []*model.Checkpoint{withAmazons(t), untrained(othello.Rules.Game().Spec), untrained(connectfour.Rules.Game().Spec)}
	for _, game := range box.Games() {
		s.models = append(s.models, boxed(t, game))
	}
	// Use the bot of Patchwork for patchwork-seven, which has the same features. Change one weight,
	// because the two models must have different hashes.
	if !box.Has("patchwork-seven") {
		seven := boxed(t, "patchwork")
		seven.Game, seven.Tensors["value.out.bias"][0] = "patchwork-seven", 0
		s.models = append(s.models, seven)
	}
	s.start(t)
	t.Cleanup(func() { s.stop() })
	return s
}

// boxed returns the built-in bot of a game.
func boxed(t *testing.T, game string) *model.Checkpoint {
	t.Helper()
	c, err := box.Load(game)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start starts the server. If the server ran before, it gets the same address again.
func (s *theatre) start(t *testing.T) {
	t.Helper()
	server, err := New(Options{Runs: append([]rundir.Folder{s.folder}, s.others...), Models: s.models})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l, func(string) {}) }()
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
	}
}

// do executes a command that the browser's script sends.
func (s *theatre) do(t *testing.T, word string) {
	t.Helper()
	switch word {
	case "grow":
		if _, err := s.folder.Commit(s.next, s.records[0]); err != nil {
			t.Fatal(err)
		}
		s.records, s.next = s.records[1:], s.next+1
	case "stop":
		s.stop()
	case "start":
		s.start(t)
	case "damage":
		write(t, s.folder.Shard(0, 0), []byte("nonsense"))
	default:
		t.Fatalf("the script asks for %q", word)
	}
}

// look runs the browser's script and returns its findings.
func (s *theatre) look(t *testing.T, environment, report string) (found struct{ Errors, Faults []string }) {
	t.Helper()
	cmd := exec.Command("node", "look.mjs", "http://"+s.address+"/", report)
	cmd.Dir, cmd.Env, cmd.Stderr = "independent", append(os.Environ(), environment), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = lines.Text()
		if word, ok := strings.CutPrefix(last, "do "); ok {
			s.do(t, word)
			if _, err := fmt.Fprintln(in, "done"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("node: %v", err)
	}
	if err := json.Unmarshal([]byte(last), &found); err != nil {
		t.Fatalf("the script ends with %q", last)
	}
	return found
}
