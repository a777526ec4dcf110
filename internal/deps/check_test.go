package deps

import (
	"slices"
	"testing"
)

// check returns one sentence for each kind of violation, and no others.
func TestRules(t *testing.T) {
	good := func() (packages map[string]source, allowed, forbidden map[string][]string) {
		packages = map[string]source{
			"game":           {"Package game is one.", []string{"fmt"}},
			"game/chess":     {"Package chess is one.", []string{"dojo.example/game", "dojo.example/internal/sums"}},
			"search":         {"Package search is one.", []string{"dojo.example/game/chess", "dojo.example/internal/sums", "syscall"}},
			"internal/sums":  {"Package sums is one.", []string{"dojo.example/internal/bits", "math"}},
			"internal/bits":  {"Package bits is one.", []string{"math/bits"}},
			"internal/locks": {"Package locks is one.", []string{"sync/atomic"}},
		}
		allowed = map[string][]string{
			"game": {}, "game/...": {"game"}, "search": {"game/..."}, "internal/...": {},
		}
		forbidden = map[string][]string{"game": {"sync/..."}, "game/...": {"sync/..."}, "search": {"sync", "sync/...", "time"}}
		return packages, allowed, forbidden
	}
	type tables = map[string][]string
	imports := func(packages map[string]source, name string, paths ...string) {
		p := packages[name]
		p.imports = append(slices.Clone(p.imports), paths...)
		packages[name] = p
	}
	for _, c := range []struct {
		name string
		do   func(packages map[string]source, allowed, forbidden tables)
		want []string
	}{
		{"as it should be", func(map[string]source, tables, tables) {}, nil},
		{"no comment", func(p map[string]source, _, _ tables) { p["game"] = source{"", []string{"fmt"}} },
			[]string{"game has no doc comment"}},
		{"a new package", func(p map[string]source, _, _ tables) { p["web"] = source{"Package web is one.", nil} },
			[]string{"web has no rule of what it may import: add one"}},
		{"an import upwards", func(p map[string]source, _, _ tables) { imports(p, "game/chess", "dojo.example/search") },
			[]string{"game/chess imports search, which the rules do not allow"}},
		{"internal imports what is not", func(p map[string]source, _, _ tables) { imports(p, "internal/sums", "dojo.example/game") },
			[]string{"internal/sums imports game, which the rules do not allow"}},
		{"a clock", func(p map[string]source, _, _ tables) { imports(p, "search", "time") },
			[]string{"search imports time, which is forbidden there"}},
		{"a lock through internal", func(p map[string]source, _, _ tables) { imports(p, "game/chess", "dojo.example/internal/locks") },
			[]string{"game/chess imports dojo.example/internal/locks, which imports sync/atomic, which is forbidden there"}},
		{"a clock through internal through internal", func(p map[string]source, _, _ tables) { imports(p, "internal/bits", "time") },
			[]string{"search imports dojo.example/internal/sums, which imports dojo.example/internal/bits, which imports time, which is forbidden there"}},
		{"a permit too many", func(_ map[string]source, allowed, _ tables) { allowed["search"] = []string{"game", "game/..."} },
			[]string{"the rule that search may import game is used by no import: remove it"}},
		{"a wide permit too many", func(p map[string]source, _, _ tables) { p["search"] = source{"Package search is one.", nil} },
			[]string{"the rule that search may import game/... is used by no import: remove it"}},
		{"permits of no package", func(_ map[string]source, allowed, _ tables) { allowed["web/..."] = []string{"game"} },
			[]string{"the rule of what web/... may import is for no package: remove it"}},
		{"prohibitions of no package", func(_ map[string]source, _, forbidden tables) { forbidden["web"] = []string{"os"} },
			[]string{"the rule of what is forbidden in web is for no package: remove it"}},
		{"the longest key holds", func(_ map[string]source, allowed, _ tables) { allowed["game/chess"] = []string{} },
			[]string{
				"game/chess imports game, which the rules do not allow",
				"the rule of what game/... may import is for no package: remove it",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			packages, allowed, forbidden := good()
			c.do(packages, allowed, forbidden)
			if got := check(packages, allowed, forbidden); !slices.Equal(got, c.want) {
				t.Errorf("the rules say\n%q, want\n%q", got, c.want)
			}
		})
	}
}
