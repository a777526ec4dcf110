package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dojo.example/configs"
	"dojo.example/model"
	"dojo.example/train"

	"github.com/gofrs/flock"
)

// small has settings that shorten a run of any preset to about a second.
var small = []string{
	"--set", "network.channels=16", "--set", "network.blocks=1", "--set", "mcts.simulations=8",
	"--set", "selfplay.games=16", "--set", "selfplay.shard_games=8", "--set", "train.generations=2",
	"--set", "train.optimiser.batch=32", "--set", "gate.games=4", "--set", "gate.simulations=4", "--set", "seed=3",
}

// trained trains a small run to the end and returns its folder.
func trained(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", append([]string{"train", "tictactoe", "--run", dir, "--log-format", "screen"}, small...)...)
	if r.status != exitDone || r.stdout != "" || !strings.Contains(r.stderr, "dojo play tictactoe") {
		t.Fatalf("train: %+v", r)
	}
	return dir
}

// snapshot returns the contents of all files in a folder, except the lock file.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The run's folder is all that the command needs to continue a run, even for more generations than
// planned. If the run is complete, the command says so.
func TestTrainContinues(t *testing.T) {
	dir := trained(t)
	if r := dojo(t, "", "train", "--run", dir, "--generations", "3", "--log-format", "screen"); r.status != exitDone || !strings.Contains(r.stderr, "3/3") {
		t.Errorf("one more generation: %+v", r)
	}
	before := snapshot(t, dir)
	if err := os.Remove(filepath.Join(dir, "best")); err != nil {
		t.Fatal(err)
	}
	if r := dojo(t, "", "analyse", dir); r.status != exitFailed || !strings.Contains(r.stderr, filepath.Join(dir, "best")+" is missing") || !strings.Contains(r.stderr, "dojo train --run "+dir+" writes it again") {
		t.Errorf("a run whose best is missing: %+v", r)
	}
	if r := dojo(t, "", "train", "--run", dir, "--log-format", "screen"); r.status != exitDone || !strings.Contains(r.stderr, "3 generations are complete") {
		t.Errorf("a complete run: %+v", r)
	}
	if after := snapshot(t, dir); len(after) != len(before) || after[filepath.Join(dir, "best")] != before[filepath.Join(dir, "best")] {
		t.Errorf("a complete run went from %d to %d files, and its best is %q", len(before), len(after), after[filepath.Join(dir, "best")])
	}
	if r := dojo(t, "", "train", "tictactoe", "--run", filepath.Join(t.TempDir(), "x"), "--for", "1ms", "--log-format", "screen"); r.status != exitDone || !strings.Contains(r.stderr, "continue with: dojo train --run") {
		t.Errorf("a run without time: %+v", r)
	}
}

// Running a run's stages one by one gives the same files as the verb train.
func TestStages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := append([]string{"tictactoe", "--run", dir}, small...)
	for _, c := range []struct{ verb, says string }{{"fit", "dojo selfplay"}, {"gate", "dojo selfplay"}} {
		if r := dojo(t, "", append([]string{c.verb}, args...)...); r.status != exitFailed || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s before its time: %+v", c.verb, r)
		}
	}
	for range 2 {
		for _, verb := range []string{"selfplay", "fit", "gate"} {
			if r := dojo(t, "", verb, "--run", dir, "--log-format", "screen"); r.status != exitDone || !strings.Contains(r.stderr, "continue with: dojo ") {
				t.Errorf("%s: %+v", verb, r)
			}
		}
	}
	got, want := snapshot(t, dir), snapshot(t, trained(t))
	for path, text := range want {
		if strings.Contains(path, "models") || strings.Contains(path, "samples") {
			name := path[strings.Index(path, "/run/"):]
			found := false
			for other, same := range got {
				found = found || strings.HasSuffix(other, name) && same == text
			}
			if !found {
				t.Errorf("%s differs from the one that train makes", name)
			}
		}
	}
}

// A mistake in a run's files or on the command line causes a one-line error and exit status 1, and
// the run stays unchanged.
func TestTrainMistakes(t *testing.T) {
	dir := trained(t)
	config := filepath.Join(dir, "run.yaml")
	whole, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(t.TempDir(), "full")
	if err := os.MkdirAll(full, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		run  string // new content of run.yaml; "" to keep the old content
		args []string
		says string
	}{
		{"another game", "", []string{"train", "onitama", "--run", dir}, "a run of tictactoe, not of onitama"},
		{"another preset", "", []string{"train", "tictactoe", "--run", dir}, "other settings"},
		{"another setting", "", []string{"train", "--run", dir, "--set", "seed=9"}, "--set seed=9"},
		{"newer format", strings.Replace(string(whole), "format: 4", "format: 7", 1), []string{"train", "--run", dir}, "format 7"},
		{"no configuration", "nothing: here\n", []string{"train", "--run", dir}, "run.yaml"},
		{"a changed digit", strings.Replace(string(whole), "opening_plies: 2", "opening_plies: 3", 1), []string{"train", "--run", dir}, "run.yaml: its checksum does not match"},
		{"a key too many", string(whole) + "more: 1\n", []string{"train", "--run", dir}, "more"},
		{"not a run", "", []string{"train", "--run", full}, "holds no run"},
		{"not a folder", "", []string{"train", "--run", filepath.Join(blocked, "run")}, "not a directory"},
		{"no such opening", "", []string{"train", "tictactoe", "--run", filepath.Join(t.TempDir(), "new"), "--set", "gate.opening_plies=100"}, "opening_plies"},
		{"no openings in an old run", sealed(strings.Replace(string(whole), "opening_plies: 2", "opening_plies: 100", 1)), []string{"train", "--run", dir, "--generations", "3"}, "opening_plies"},
	} {
		if c.run != "" {
			if err := os.WriteFile(config, []byte(c.run), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := snapshot(t, dir)
		r := dojo(t, "", c.args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stderr %q; want one line with %q", c.name, r.status, r.stderr, c.says)
		}
		after := snapshot(t, dir)
		if len(before) != len(after) {
			t.Errorf("%s: the run has %d files, had %d", c.name, len(after), len(before))
		}
		for path, text := range before {
			if after[path] != text {
				t.Errorf("%s: %s changed", c.name, path)
			}
		}
		if err := os.WriteFile(config, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	for _, flags := range [][]string{{"--workers", "1000000"}, {"--workers", "-1"}, {"--for", "-1s"}} {
		args := append([]string{"train", "--run", filepath.Join(t.TempDir(), "new")}, flags...)
		if r := dojo(t, "", args...); r.status != exitUsage || !strings.Contains(r.stderr, strings.TrimSuffix(flags[0], "=nowhere")) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%v: %+v", flags, r)
		}
	}
	if r := dojo(t, "", "train", "--run", dir, "--generations", "1"); r.status != exitFailed || !strings.Contains(r.stderr, "has 2 generations already") {
		t.Errorf("fewer generations than there are: %+v", r)
	}
	if after, err := os.ReadFile(config); err != nil || string(after) != string(whole) {
		t.Errorf("run.yaml changed to %s (%v)", after, err)
	}

	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer lock.Unlock()
	if r := dojo(t, "", "train", "--run", dir); r.status != exitFailed || !strings.Contains(r.stderr, "another process") {
		t.Errorf("a locked run: %+v", r)
	}
}

// sealed returns the text of an edited run.yaml with the checksum corrected.
func sealed(text string) string {
	text, _, _ = strings.Cut(text, "checksum: ")
	return fmt.Sprintf("%schecksum: %x\n", text, sha256.Sum256([]byte(text)))
}

// Training fails before any game if a model file is damaged or belongs to another game.
func TestTrainWithWrongModel(t *testing.T) {
	dir := trained(t)
	best, err := os.ReadFile(filepath.Join(dir, "best"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "models", string(best)+".safetensors")
	if string(best) == "uniform" {
		t.Skip("no candidate was promoted")
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := model.Decode(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	c.Game = "tictactoo"
	var other bytes.Buffer
	if err := c.Encode(&other); err != nil {
		t.Fatal(err)
	}
	const says = "is not the file that generation 000001 of the run lists"
	for _, text := range [][]byte{whole[:len(whole)-9], other.Bytes()} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		r := dojo(t, "", "train", "--run", dir, "--generations", "3")
		if r.status != exitFailed || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: %+v", says, r)
		}
	}
}

// The game of every preset exists.
func TestPresetsNameGames(t *testing.T) {
	for _, name := range configs.Names() {
		dir := filepath.Join(t.TempDir(), name)
		if r := dojo(t, "", "train", name, "--run", dir, "--for", "1ms"); r.status != exitDone {
			t.Errorf("preset %s: %+v", name, r)
		}
	}
}

// If no model of a run has won its gate match, which is against a search without a network, the run
// has no best model and says so.
func TestRunWithoutBest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", append(append([]string{"train", "tictactoe", "--run", dir}, small...), "--set", "seed=2")...)
	if r.status != exitDone || !strings.Contains(r.stderr, "no model has beaten") {
		t.Fatalf("train: %+v", r)
	}
	if r := dojo(t, "", "match", dir, "random"); r.status != exitFailed || !strings.Contains(r.stderr, "models/*.safetensors") {
		t.Errorf("the best of a run without one: %+v", r)
	}
}

// TestTrainAddresses checks that a wrong address is an error and that no run is started.
func TestTrainAddresses(t *testing.T) {
	for _, flags := range [][]string{{"--token", "secret"}, {"--listen", "nowhere"}, {"--listen", "127.0.0.1:99999"}, {"--verify", "2%"}, {"--verify", "2", "--listen", "127.0.0.1:0"}, {"--verify", "101%", "--listen", "127.0.0.1:0"}, {"--serve=nowhere"}} {
		dir := filepath.Join(t.TempDir(), "run")
		r := dojo(t, "", append([]string{"train", "tictactoe", "--run", dir}, flags...)...)
		if _, err := os.Stat(dir); r.status != exitUsage || !strings.Contains(r.stderr, strings.TrimSuffix(flags[0], "=nowhere")) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: status %d, %q; the folder: %v", flags, r.status, r.stderr, err)
		}
	}
}

// If training stops because the time of --for is up, that is not an error. Any other exceeded
// deadline is an error, for example when a server does not answer.
func TestStopped(t *testing.T) {
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	later, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	late := fmt.Errorf("generation 3: cluster: %w", context.DeadlineExceeded)
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		says string // how the expected error begins; "" for no error
	}{
		{"the time is over", over, late, ""},
		{"a server is late", t.Context(), late, "generation 3: cluster: context deadline exceeded"},
		{"a server is late before the time is over", later, late, "generation 3: cluster: context deadline exceeded"},
		{"the disk is full", t.Context(), errors.Join(fmt.Errorf("generation 3: %w", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})),
			"generation 3: write x: no space left on device; free some disk space; only unfinished work is lost; continue with: "},
		{"Ctrl-C", interrupted, context.Canceled, "context canceled; only unfinished work is lost; continue with: dojo train --run runs/x --listen 127.0.0.1:4222"},
	} {
		var stderr bytes.Buffer
		err := (&app{stderr: &stderr}).stopped(c.ctx, c.err, time.Minute, train.Options{Folder: "runs/x", Flags: []string{"--listen", "127.0.0.1:4222"}})
		if c.says == "" {
			if err != nil || !strings.HasPrefix(stderr.String(), "stopped after --for 1m0s; ") {
				t.Errorf("%s: %v and %q", c.name, err, stderr.String())
			}
		} else if err == nil || !strings.HasPrefix(err.Error(), c.says) || stderr.Len() > 0 {
			t.Errorf("%s: %v and %q, want %q", c.name, err, stderr.String(), c.says)
		}
	}
}
