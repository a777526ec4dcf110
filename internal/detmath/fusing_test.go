package detmath

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dojo.example/internal/slow"
)

// fused matches a line of the compiler's assembly output with a fused multiply-add. Its groups are
// the source file with the line number, and the instruction.
var fused = regexp.MustCompile(`\(([^()]+:\d+)\)\t(V?FN?M(?:ADD|SUB)\w*)\t`)

// fusing lists the processors for which Go's compiler generates fused instructions.
var fusing = []struct {
	name        string
	environment []string
}{
	{"arm64", []string{"GOOS=linux", "GOARCH=arm64"}},
	{"amd64 v3", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}},
}

// The compiler generates no fused multiply-add in any package except the commands. If this test
// fails, round the product in the reported line before the addition: float64(x*y) + z.
func TestNothingIsFused(t *testing.T) {
	slow.Test(t, "compiles for two other processors")
	packages, _ := ours(t)
	for _, p := range fusing {
		t.Run(p.name, func(t *testing.T) {
			if len(instructions(t, p.environment, "math")) == 0 {
				t.Error("found none in package math, which has some: this test sees nothing")
			}
			for _, found := range instructions(t, p.environment, packages...) {
				t.Errorf("%s: a product and a sum are one %s", found[1], found[2])
			}
		})
	}
}

// inexact matches calls of functions whose results may differ between processors in the last bits.
var inexact = regexp.MustCompile(`\bmath\.(A?(Sin|Cos|Tan)h?|Atan2|Sincos|Cbrt|Erfc?|Erfinv|Exp2?|Expm1|L?Gamma|Hypot|Log(2|10|1p)?|Pow|J[01n]|Y[01n])\(|\.(Norm|Exp)Float64\(`)

// No package except the commands calls a math function that detmath replaces.
func TestNothingIsInexact(t *testing.T) {
	_, files := ours(t)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if found := inexact.FindString(code); found != "" {
				t.Errorf("%s:%d: %s) depends on the processor: see package detmath", path, i+1, found)
			}
		}
	}
}

// ours returns the module's packages except the commands, and the files of these packages. It also
// calls Stat on the files and their folders, so that go test does not use a cached result after one
// of them has changed.
func ours(t *testing.T) (packages, files []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.Name}}|{{.ImportPath}}{{range .GoFiles}}|{{$.Dir}}/{{.}}{{end}}`, "dojo.example/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if fields[0] != "main" {
			packages, files = append(packages, fields[1]), append(files, fields[2:]...)
		}
	}
	for _, f := range files {
		for _, path := range []string{f, filepath.Dir(f), filepath.Dir(filepath.Dir(f))} {
			if _, err := os.Stat(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return packages, files
}

// instructions compiles the packages and returns the matches of fused in their assembly.
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
