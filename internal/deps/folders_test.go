package deps

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// folderRow is a row of the table of folders in ARCHITECTURE.md: a folder, and the file to start with.
var folderRow = regexp.MustCompile("(?m)^\\| `([^`/]+)` \\| .* \\| `([^`]+)` \\|$")

// told returns the folders in the table of ARCHITECTURE.md, each with its place there.
func told(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, row := range folderRow.FindAllStringSubmatch(string(text), -1) {
		place[row[1]] = i + 1
		if _, err := os.Stat(filepath.Join("../..", row[1], row[2])); err != nil {
			t.Error(err)
		}
	}
	return place
}

// A folder imports only folders above it in the table, and internal, so that no two depend on each other.
func TestFoldersDependOneWay(t *testing.T) {
	packages, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	place := told(t)
	for name, p := range packages {
		folder, _, _ := strings.Cut(name, "/")
		for _, path := range p.imports {
			rest, ours := strings.CutPrefix(path, module+"/")
			other, _, _ := strings.Cut(rest, "/")
			if ours && folder != "." && other != folder && other != "internal" && (folder == "internal" || place[other] > place[folder]) {
				t.Errorf("%s imports %s, which is not above it in the table of folders", name, rest)
			}
		}
	}
}

// A newcomer finds every folder at the top in ARCHITECTURE.md, with a file to start at, and not many of them.
func TestFolders(t *testing.T) {
	told := told(t)
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	const most = 19
	made := map[string]bool{"runs": true, "dist": true} // ignored by git
	folders := 0
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || made[e.Name()] {
			continue
		}
		if files, err := os.ReadDir("../../" + e.Name()); err == nil && len(files) == 1 && files[0].Name() == "node_modules" {
			continue // what git leaves of a folder that has moved
		}
		folders++
		if told[e.Name()] == 0 {
			t.Errorf("ARCHITECTURE.md does not say what the folder %s is for", e.Name())
		}
	}
	if folders > most || folders != len(told) {
		t.Errorf("there are %d folders, of which ARCHITECTURE.md has %d; want at most %d", folders, len(told), most)
	}
}
