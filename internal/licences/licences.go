// Package licences embeds notices.txt, the licences of dojo and of everything linked
// into it. The file is a list of sections. A section begins with a line "== NAMES
// (SPDX)", with what the licence covers and its SPDX expression; the text follows. The
// first sections, for dojo, Go and functions translated from other libraries, cover the
// program for the browser. Then comes one section for each distinct licence text of a
// module. Modules that only some systems link are listed for all.
package licences

import (
	_ "embed"
	"slices"
	"strings"
)

//go:generate go run ../release -licences notices.txt

//go:embed notices.txt
var notices string

// Names of the sections that do not cover modules.
const (
	Own       = "dojo"
	Go        = "Go's runtime and standard library"
	Functions = "exp, log and tanh of internal/detmath"
)

// All returns the licences of everything in the program.
func All() string { return notices }

// Portable returns the licences of the program for the browser.
func Portable() string {
	var b strings.Builder
	for _, s := range sections() {
		if slices.Contains([]string{Own, Go, Functions}, s.Names[0]) {
			b.WriteString(s.String())
		}
	}
	return b.String()
}

// SPDX returns the SPDX expression of the licence that covers name, a module path or one
// of the names above. It returns "" if there is none.
func SPDX(name string) string {
	for _, s := range sections() {
		if slices.Contains(s.Names, name) {
			return s.SPDX
		}
	}
	return ""
}

// A Section is a licence and what it covers.
type Section struct {
	Names []string // module paths, or one of the names above
	SPDX  string
	Text  string
}

const mark = "== "

// String returns the section as the file has it.
func (s Section) String() string {
	return mark + strings.Join(s.Names, " · ") + " (" + s.SPDX + ")\n\n" + strings.TrimSpace(s.Text) + "\n\n"
}

// sections parses the file.
func sections() (list []Section) {
	for _, part := range strings.Split("\n"+notices, "\n"+mark)[1:] {
		head, text, _ := strings.Cut(part, "\n")
		names, spdx, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
		list = append(list, Section{strings.Split(names, " · "), spdx, text})
	}
	return list
}
