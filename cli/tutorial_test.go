package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shorter edits the commands of the tutorial so that they run faster.
var shorter = strings.NewReplacer(
	"train onitama-quick", "train onitama-quick --set mcts.simulations=16 --set selfplay.games=32 --set selfplay.shard_games=16 --set train.generations=1 "+
		"--set train.optimiser.batch=64 --set gate.games=8 --set gate.simulations=8 --set seed=1",
	"--simulations 800", "--simulations 50",
	"random,mcts:1000 --games 40", "random,mcts:10 --games 2 --simulations 8",
	"dojo serve runs/mine", "dojo serve runs/mine --listen 127.0.0.1:0",
	"--as codingame-cpp", "--as codingame-cpp --no-verify", // other tests verify exports
)

// TestTutorial runs the commands of docs/TUTORIAL.md one after another, edited only to run faster.
func TestTutorial(t *testing.T) {
	t.Chdir("..") // the clone
	dir := t.TempDir()
	places := strings.NewReplacer("runs/", dir+"/", "-o ", "-o "+dir+"/")
	var ran []string
	for _, block := range codeBlock.FindAllStringSubmatch(contents(t, "docs/TUTORIAL.md"), -1) {
		for line := range strings.Lines(block[2]) {
			line = places.Replace(shorter.Replace(strings.TrimSpace(line)))
			words := strings.Fields(line)
			switch {
			case line == "go install ./cmd/dojo": // this test acts as the installed program
				continue
			case len(words) < 2 || words[0] != "dojo":
				t.Fatalf("a line of the tutorial is no command that this test knows: %s", line)
			case testing.Short() && slices.Contains(words, "web"): // building it takes long
				continue
			}
			if err := tutorialStep(t, words[1:]); err != "" {
				t.Fatalf("%s: %s", line, err)
			}
			ran = append(ran, words[1])
		}
	}
	if want := []string{"version", "rules", "train", "serve", "analyse", "evaluate", "export", "export"}; !testing.Short() && !slices.Equal(ran, want) {
		t.Errorf("the tutorial runs %q, want %q", ran, want)
	}
	for _, file := range []string{"bot.cpp", filepath.Join("site", "index.html")} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil && !testing.Short() {
			t.Error(err)
		}
	}
}

// tutorialStep runs a command. If the command fails, it returns the error message. If the command
// is a server, it stops the server as soon as the server has printed its address.
func tutorialStep(t *testing.T, args []string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var stderr bytes.Buffer
	var stdout io.Writer = &bytes.Buffer{}
	if args[0] == "serve" {
		stdout = writerFunc(func(p []byte) (int, error) {
			if strings.HasPrefix(string(p), "http://127.0.0.1:") {
				stop()
			}
			return len(p), nil
		})
	}
	if status := execute(ctx, args, strings.NewReader(""), stdout, &stderr); status != exitDone {
		return stderr.String()
	}
	return ""
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
