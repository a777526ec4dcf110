package deps

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed lists, for each package, all it may import of this module. A name
// ending in /... stands for every package below it. Test files are not bound.
var allowed = map[string][]string{
	"engine":       {},
	"engine/...":   {"engine"},
	"mcts":         {"engine"},
	"model/kernel": {},
	"model":        {"engine", "model/kernel"},
	"model/graph":  {"engine", "model", "model/kernel"},
	"data":         {"engine"},
	"run":          {"model"},
	"think":        {"engine", "mcts", "model"},
	"selfplay":     {"engine", "mcts", "model", "think", "data"},
	"arena":        {"engine", "mcts", "model", "think"},
	"analysis":     {"engine", "mcts"},
	"play":         {"engine"},
	"games":        {"engine", "engine/...", "mcts"},
	"train":        {"engine", "mcts", "model", "model/graph", "data", "run", "selfplay", "arena"},
	"bot":          {"engine", "games", "model", "run", "think"},
	"export/...":   {"engine", "engine/onitama", "mcts", "model", "model/kernel"},
	"configs":      {"mcts", "model", "run", "selfplay", "train"},
	"docs":         {},
	"internal/...": {},
}

// forbidden lists what a package must not import of the standard library.
var forbidden = map[string][]string{
	"engine":       {"context", "log", "log/slog", "os", "sync", "time"},
	"mcts":         {"context", "log", "log/slog", "os", "sync", "time"},
	"data":         {"log", "log/slog"},
	"model":        {"log", "log/slog"},
	"model/kernel": {"context", "log", "log/slog", "sync", "time"},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{.Doc}}|{{join .Imports " "}}`, "dojo/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 3)
		pkg, doc, imports := strings.TrimPrefix(fields[0], "dojo/"), fields[1], fields[2]
		if doc == "" {
			t.Errorf("package %s has no doc comment", pkg)
		}
		if strings.HasPrefix(pkg, "cmd/") {
			continue
		}
		rule, ok := lookup(pkg)
		if !ok {
			t.Errorf("package %s has no rule: add one", pkg)
		}
		for imp := range strings.FieldsSeq(imports) {
			own, ours := strings.CutPrefix(imp, "dojo/")
			if ours && !slices.ContainsFunc(rule, func(p string) bool { return match(p, own) }) && !strings.HasPrefix(own, "internal/") {
				t.Errorf("%s imports %s, which the rules do not allow", pkg, own)
			}
			if slices.Contains(forbidden[pkg], imp) {
				t.Errorf("%s imports %s, which is forbidden there", pkg, imp)
			}
		}
	}
}

func lookup(pkg string) ([]string, bool) {
	if r, ok := allowed[pkg]; ok {
		return r, true
	}
	for pattern, r := range allowed {
		if match(pattern, pkg) {
			return r, true
		}
	}
	return nil, false
}

func match(pattern, pkg string) bool {
	if dir, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(pkg, dir)
	}
	return pattern == pkg
}
