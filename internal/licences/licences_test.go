package licences

import (
	"strings"
	"testing"
)

// The sections together are the file, and SPDX finds each by its names.
func TestSections(t *testing.T) {
	var all strings.Builder
	for _, s := range sections() {
		all.WriteString(s.String())
		for _, name := range s.Names {
			if SPDX(name) != s.SPDX || s.SPDX == "" {
				t.Errorf("the licence of %s is %q, want %q", name, SPDX(name), s.SPDX)
			}
		}
	}
	if _, want, _ := strings.Cut(All(), "\n\n"); strings.TrimSpace(all.String()) != strings.TrimSpace(want) {
		t.Error("the sections are not the whole file")
	}
	for _, what := range []string{"The dojo authors", "The Go Authors", "Sun Microsystems"} {
		if !strings.Contains(Portable(), what) {
			t.Errorf("the licences for the browser do not name %s", what)
		}
	}
	if SPDX("example.org/none") != "" {
		t.Error("a module that is not linked has a licence")
	}
}
