package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"dojo.example/internal/memory"

	"github.com/goccy/go-yaml"
)

// dojo accepts all command lines in deploy/.
func TestDeployedCommands(t *testing.T) {
	lines := map[string]int{ // number of command lines in each file
		"compose.yaml": 3, "kubernetes.yaml": 2, "kubernetes-job.yaml": 2,
		"dojo-trainer.service": 1, "dojo-worker.service": 1, "dojo-serve.service": 1,
	}
	variables := regexp.MustCompile(`\$(\{[^}]*\}|\([^)]*\))`)
	for name, want := range lines {
		text, err := os.ReadFile(filepath.Join("..", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		commands := deployed(t, name, text)
		if len(commands) != want {
			t.Errorf("%s has the command lines %q, want %d", name, commands, want)
		}
		for _, args := range commands {
			if line := strings.Join(args, " "); strings.Contains(line, "--token ") || strings.Contains(line, "DOJO_TOKEN") {
				t.Errorf("%s: a command line has the token: %s", name, line)
			}
			for i := range args {
				args[i] = variables.ReplaceAllString(args[i], "x")
			}
			app := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
			cmd, rest, err := app.root().Find(args)
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil {
				err = errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups(), cmd.ValidateArgs(cmd.Flags().Args()))
			}
			if err != nil || !cmd.HasParent() {
				t.Errorf("%s: dojo %s: %v", name, strings.Join(args, " "), err)
			}
		}
	}
}

// Each --memory is at most 7/8 of the limit of its container or unit, so that the system does not
// kill the program, and at least half of it.
func TestDeployedMemory(t *testing.T) {
	for file, limit := range map[string]string{ // the pattern of a limit in each file
		"kubernetes.yaml": `limits: \{[^}]*memory: (\w+)`, "kubernetes-job.yaml": `limits: \{[^}]*memory: (\w+)`,
		"compose.yaml": `mem_limit: (\w+)`, "dojo-trainer.service": `MemoryMax=(\w+)`,
		"dojo-worker.service": `MemoryMax=(\w+)`, "dojo-serve.service": `MemoryMax=(\w+)`,
	} {
		text, err := os.ReadFile(filepath.Join("..", "deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		allowed := regexp.MustCompile(`--memory,? (\w+)`).FindAllStringSubmatch(string(text), -1)
		limits := regexp.MustCompile(limit).FindAllStringSubmatch(string(text), -1)
		if len(allowed) == 0 || len(allowed) != len(limits) {
			t.Fatalf("%s has --memory %q and limits %q", file, allowed, limits)
		}
		for i := range limits {
			unit := strings.TrimRight(strings.ToUpper(limits[i][1]), "IB") + "iB" // 2G, 2g, 2Gi and 2GiB are 2 GiB
			most, err := memory.ParseSize(unit)
			if said, e := memory.ParseSize(allowed[i][1]); err != nil || e != nil || said > most-most/8 || said < most/2 {
				t.Errorf("%s has --memory %s and the limit %s", file, allowed[i][1], limits[i][1])
			}
		}
	}
}

// The introductory documents name the commands that a user needs before the program can run.
func TestTold(t *testing.T) {
	for file, want := range map[string]string{
		"README.md":             "go mod tidy",
		"docs/ADDING_A_GAME.md": "go mod tidy",
		"docs/CLUSTER.md":       "sudo chown 65532 token cert.pem key.pem && sudo chmod 0400 token cert.pem key.pem",
		"deploy/compose.yaml":   "sudo chown 65532 token cert.pem key.pem && sudo chmod 0400 token cert.pem key.pem",
	} {
		if text, err := os.ReadFile(filepath.Join("..", file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, want %q in it", file, err, want)
		}
	}
	if text, _ := os.ReadFile("../README.md"); !strings.Contains(string(text), "xattr -d com.apple.quarantine FILE") {
		t.Error("README.md does not say how macOS starts an exported bot")
	}
}

// deployed returns the command lines of dojo in the named file of deploy/.
func deployed(t *testing.T, name string, text []byte) (commands [][]string) {
	t.Helper()
	if strings.HasSuffix(name, ".service") {
		for line := range strings.Lines(string(text)) {
			if args, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/dojo "); ok {
				commands = append(commands, strings.Fields(args))
			}
		}
		return commands
	}
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document any
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return commands
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		commands = append(commands, listsNamed(document, "command", "args")...)
	}
}

// listsNamed returns all lists in a YAML document whose key is one or other.
func listsNamed(node any, one, other string) (found [][]string) {
	switch node := node.(type) {
	case []any:
		for _, n := range node {
			found = append(found, listsNamed(n, one, other)...)
		}
	case map[string]any:
		for key, n := range node {
			list, ok := n.([]any)
			if !ok || key != one && key != other {
				found = append(found, listsNamed(n, one, other)...)
				continue
			}
			var texts []string
			for _, text := range list {
				if text, ok := text.(string); ok {
					texts = append(texts, text)
				}
			}
			found = append(found, texts)
		}
	}
	return found
}

// The release script fails if the sources are not the checkout of a Git repository of their own.
func TestReleaseWantsCheckout(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the script needs bash")
	}
	script, err := os.ReadFile("../.ci/release")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	if err := os.MkdirAll(filepath.Join(tree, ".ci"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, ".ci", "release"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"without git", "inside of another repository"} {
		cmd := exec.Command("bash", filepath.Join(tree, ".ci", "release"), filepath.Join(dir, "dist"))
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "a release is made from one") {
			t.Errorf("%s: %v, %s", where, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "dist")); err == nil {
			t.Errorf("%s it begins", where)
		}
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Skipf("git: %v, %s", err, out)
		}
	}
}
