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

// A newcomer finds every folder at the top in ARCHITECTURE.md, with a file to start at, and not many of them.
func TestFolders(t *testing.T) {
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, row := range folderRow.FindAllStringSubmatch(string(text), -1) {
		told[row[1]] = true
		if _, err := os.Stat(filepath.Join("../..", row[1], row[2])); err != nil {
			t.Error(err)
		}
	}
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
		folders++
		if !told[e.Name()] {
			t.Errorf("ARCHITECTURE.md does not say what the folder %s is for", e.Name())
		}
	}
	if folders > most || folders != len(told) {
		t.Errorf("there are %d folders, of which ARCHITECTURE.md has %d; want at most %d", folders, len(told), most)
	}
}
