package deps

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// folderRow matches a row of the table of folders in ARCHITECTURE.md. Its groups are the folder,
// and the file in the column "start reading at".
var folderRow = regexp.MustCompile("(?m)^\\| `([^`/]+)` \\| .* \\| `([^`]+)` \\|$")

// told returns the row number of each folder in the table in ARCHITECTURE.md.
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

// Packages in a folder import only packages in the same folder, in internal, and in folders from
// earlier rows of the table in ARCHITECTURE.md. So no two folders depend on each other.
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

// ARCHITECTURE.md lists every top-level folder, with a file to start reading at. The number of
// these folders stays small.
func TestFolders(t *testing.T) {
	told := told(t)
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	const most = 19
	made := map[string]bool{"runs": true, "dist": true} // git ignores these folders
	folders := 0
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || made[e.Name()] {
			continue
		}
		if files, err := os.ReadDir("../../" + e.Name()); err == nil && len(files) == 1 && files[0].Name() == "node_modules" {
			continue // when a folder moves, git leaves its ignored folder node_modules behind
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
