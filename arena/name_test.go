package arena

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dojo.example/search/think"
)

// The path is the longest prefix of a name that exists. SplitName looks for changes and a budget
// only in the rest.
func TestSplitName(t *testing.T) {
	visits := func(n int) think.Budget { return think.Budget{Visits: n} }
	limit := think.Budget{Time: 5 * time.Millisecond}
	none := think.Budget{}
	for _, c := range []struct {
		name   string
		exists string // existing paths, separated by blanks
		want   ModelName
	}{
		{"runs/x", "runs/x", ModelName{"runs/x", "", none}},
		{"runs/x:64", "runs/x", ModelName{"runs/x", "", visits(64)}},
		{"runs/x:64", "runs/x runs/x:64", ModelName{"runs/x:64", "", none}},
		{"runs/x:64:8", "runs/x runs/x:64", ModelName{"runs/x:64", "", visits(8)}},
		{"runs/x:64#visits@5ms", "runs/x runs/x:64", ModelName{"runs/x:64", "#visits", limit}},
		{"2026-11-25T10:30", "2026-11-25T10:30", ModelName{"2026-11-25T10:30", "", none}},
		{"2026-11-25T10:30#cpuct=2:8", "2026-11-25T10:30", ModelName{"2026-11-25T10:30", "#cpuct=2", visits(8)}},
		{"c#", "c#", ModelName{"c#", "", none}},
		{"c##float32#tables:8", "c#", ModelName{"c#", "#float32#tables", visits(8)}},
		{"c#/run#tree", "c#/run c", ModelName{"c#/run", "#tree", none}},
		{"a@5ms", "a@5ms a", ModelName{"a@5ms", "", none}},
		{"a@5ms@5ms", "a@5ms a", ModelName{"a@5ms", "", limit}},
		{"a#tables", "a#tables a", ModelName{"a#tables", "", none}},
		{`C:\runs\x:64`, `C:\runs\x`, ModelName{`C:\runs\x`, "", visits(64)}},
		{`C:\runs\x:64`, `C:\runs\x:64`, ModelName{`C:\runs\x:64`, "", none}},
		{`C:\runs\c##visits:64`, `C:\runs\c#`, ModelName{`C:\runs\c#`, "#visits", visits(64)}},
		{`C:\runs\x`, "C", ModelName{`C:\runs\x`, "", none}},

		// Names of built-in models are split in the same way whatever files exist.
		{"box", "box", ModelName{"box", "", none}},
		{"box:64", "box:64", ModelName{"box", "", visits(64)}},
		{"box:chess#tables@5ms", "", ModelName{"box:chess", "#tables", limit}},
		{"box#1", "box#1", ModelName{"box#1", "", none}},
		{"box#1/models/x:8", "", ModelName{}}, // neither a file nor a built-in model has this name
		{"box#1/models/x:8", "box#1/models/x", ModelName{"box#1/models/x", "", visits(8)}},

		// None of these names is itself an existing path. The second column lists the prefixes that
		// exist.
		{"runs/x#cpuct=2#tree:64", "", ModelName{"runs/x", "#cpuct=2#tree", visits(64)}},
		{"runs/10:30:64", "", ModelName{"runs/10:30", "", visits(64)}},
		{"runs/a:b", "", ModelName{"runs/a:b", "", none}},
		{"runs/a:b", "runs/a", ModelName{"runs/a:b", "", none}},
		{`C:\runs\x@5ms`, "", ModelName{`C:\runs\x`, "", limit}},
		{"runs/x#tabels", "", ModelName{}},
		{"runs/x#tabels:8", "runs/x", ModelName{}},
		{"runs/x:0", "runs/x", ModelName{}},
	} {
		list := strings.Fields(c.exists)
		got, err := SplitName(c.name, func(path string) bool { return slices.Contains(list, path) })
		switch wrong := c.want == (ModelName{}); {
		case wrong && !errors.As(err, new(NameError)):
			t.Errorf("%q where %q exists: %+v, %v; want a NameError", c.name, c.exists, got, err)
		case !wrong && (err != nil || got != c.want):
			t.Errorf("%q where %q exists: %+v, %v; want %+v", c.name, c.exists, got, err, c.want)
		}
	}
}

// A complete name can be split without looking at files. Therefore the games in a match log belong
// to the same players on every machine.
func TestCompleteName(t *testing.T) {
	for _, path := range []string{"runs/x", "2026-11-25T10:30", "c#", "c#/run", "a@5ms", "x:64", `C:\runs\x`, "box", "box:chess"} {
		for _, after := range []string{":64", "@5ms", "#tables:64", "#cpuct=2#float32@5ms"} {
			n, err := SplitName(path+after, nil)
			if err != nil || n.Path != path {
				t.Errorf("%q has the path %q, %v; want %q", path+after, n.Path, err, path)
			}
			a, b := Contestant{Player: path + after, Model: "5f0c"}, Contestant{Player: "elsewhere" + after, Model: "5f0c"}
			if !a.Same(b) {
				t.Errorf("%s and %s are the same model, but have the ids %s and %s", a.Player, b.Player, a.id(), b.id())
			}
			if err := Portable(path+after, nil); (err == nil) != strings.HasSuffix(after, ":64") {
				t.Errorf("Portable(%q) = %v", path+after, err)
			}
		}
	}
	if err := Portable("runs/a@5ms", func(path string) bool { return path == "runs/a@5ms" }); err != nil {
		t.Errorf("a run with @5ms at the end of its name: %v", err)
	}
}
