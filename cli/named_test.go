package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pasted splits a printed command into words as a shell does, and drops the program's name.
func pasted(command string) (args []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|[^ ]+`).FindAllString(command, -1)[1:] {
		args = append(args, strings.Trim(word, "'"))
	}
	return args
}

// A run's folder may have any name, even one with "#", "@" or ":", which have a special meaning in
// players' names. All verbs accept such a name, and the commands that train prints work.
func TestRunNames(t *testing.T) {
	dir := trained(t)
	t.Chdir(t.TempDir())
	if err := os.Mkdir("my runs", 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"2026-11-25T10:30", "c#", "a@5ms", "x:64", "a b#tables"} {
		named := filepath.Join("my runs", name)
		if i%2 == 0 {
			named = name // inside the current folder, not inside "my runs"
		}
		if err := os.Rename(dir, named); err != nil {
			t.Skipf("%s cannot be the name of a folder here: %v", named, err)
		}
		dir = named
		r := dojo(t, "", "train", "--run", named, "--log-format", "screen")
		printed := regexp.MustCompile(`(?m)  (dojo .*)$`).FindAllStringSubmatch(r.stderr, -1)
		if r.status != exitDone || len(printed) != 3 {
			t.Fatalf("train says of %s: %+v", named, r)
		}
		match := []string{"--against", "random", "--games", "2", "--simulations", "4"}
		done(t, "quit\n", pasted(printed[0][1])...)
		done(t, "", append(pasted(printed[1][1]), match...)...)
		done(t, "", append(pasted(printed[2][1]), "--as", "onnx", "--force")...)

		for _, args := range [][]string{
			append([]string{"evaluate", named}, match...),
			append([]string{"evaluate", named + "#float32"}, match...),
			{"evaluate", "--player", named + "#visits:4", "--against", "random", "--games", "2"},
			{"match", named, "random", "--games", "2", "--simulations", "4"},
			{"match", named + ":4", named + "#cpuct=2:4", "--games", "2"},
			{"analyse", named + "#float32", "--simulations", "4"},
			{"analyse", named, "x...o....", "--game", "tictactoe", "--simulations", "4"},
			{"export", named, "--as", "onnx", "-o", "net.onnx", "--force"},
			{"inspect", named},
			{"inspect", filepath.Join(named, "models", "000001.safetensors")},
		} {
			done(t, "", args...)
		}
		done(t, ".........\n", "bot", named, "--simulations", "4")
		done(t, "quit\n", "play", "tictactoe", named)
		if r := dojo(t, "", "analyse", named+":4"); r.status != exitFailed || !strings.Contains(r.stderr, fmt.Sprintf("write %q instead", named)) {
			t.Errorf("analyse %s:4: %+v", named, r)
		}
		if r := dojo(t, "", "match", named+"#tabels", "random"); r.status != exitUsage || !strings.Contains(r.stderr, "no player is called") {
			t.Errorf("match %s#tabels: %+v", named, r)
		}
	}
}
