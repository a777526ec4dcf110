package detmath

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// fused matches a line of the compiler's assembly with an instruction that
// multiplies and adds: the place in the source, and the instruction.
var fused = regexp.MustCompile(`\(([^()]+:\d+)\)\t(V?FN?M(?:ADD|SUB)\w*)\t`)

// Processors that have such an instruction, and on which Go's compiler uses it.
var fusing = []struct {
	name        string
	environment []string
}{
	{"arm64", []string{"GOOS=linux", "GOARCH=arm64"}},
	{"amd64 v3", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}},
}

// No product and sum of ours are fused into one instruction, in any package but
// the commands: every processor rounds both. Where this fails, round the
// product before it is added: float64(x*y) + z.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other processors")
	}
	out, err := exec.Command("go", "list", "dojo/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for path := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(path, "dojo/cmd/") && path != "dojo/export/web/wasm" {
			packages = append(packages, path)
		}
	}
	for _, p := range fusing {
		t.Run(p.name, func(t *testing.T) {
			if len(instructions(t, p.environment, "math")) == 0 {
				t.Error("none in package math, which has some: this test would see nothing")
			}
			for _, found := range instructions(t, p.environment, packages...) {
				t.Errorf("%s: a product and a sum are one %s", found[1], found[2])
			}
		})
	}
}

// instructions compiles packages and returns the matches of fused.
func instructions(t *testing.T, environment []string, packages ...string) (all [][]string) {
	t.Helper()
	build := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
	build.Env = append(os.Environ(), append(environment, "CGO_ENABLED=0")...)
	assembly, err := build.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	last := ""
	lines := bufio.NewScanner(assembly)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		last = lines.Text()
		if m := fused.FindStringSubmatch(last); m != nil {
			all = append(all, m)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := build.Wait(); err != nil {
		t.Fatalf("go build: %v: %s", err, last)
	}
	return all
}
