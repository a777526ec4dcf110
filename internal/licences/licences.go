// Package licences has the texts of the licences of dojo and of all that is linked into
// it, as one file, notices.txt. The file is a list of sections: a line "== " with the
// names of what the licence is for and, in brackets, its SPDX expression, then the text.
// The first sections are for dojo, Go and the functions that others wrote first; they
// are all that a program for the browser is made of. A section for each different text
// of the modules follows. A module that is linked on one system only is listed for all.
package licences

import (
	_ "embed"
	"strings"
)

//go:generate go run ../release -licences notices.txt

//go:embed notices.txt
var notices string

// The sections that are for no module.
const (
	Own       = "dojo"
	Go        = "Go's runtime and standard library"
	Functions = "exp, log and tanh of internal/detmath"
)

// All is the licences of everything in the program.
func All() string { return notices }

// Portable is the licences of a program for the browser: dojo's, Go's and the
// functions'.
func Portable() string {
	var b strings.Builder
	for _, s := range sections() {
		if s.Names[0] == Own || s.Names[0] == Go || s.Names[0] == Functions {
			b.WriteString(s.String())
		}
	}
	return b.String()
}

// SPDX is the SPDX expression of the licence of a module, or of one of the names above; ""
// if it has no section.
func SPDX(name string) string {
	for _, s := range sections() {
		for _, n := range s.Names {
			if n == name {
				return s.SPDX
			}
		}
	}
	return ""
}

// A Section is a licence and what it is for.
type Section struct {
	Names []string // module paths, or one of the names above
	SPDX  string
	Text  string
}

const mark = "== "

// String is the section as it stands in the file.
func (s Section) String() string {
	return mark + strings.Join(s.Names, " · ") + " (" + s.SPDX + ")\n\n" + strings.TrimSpace(s.Text) + "\n\n"
}

// sections are those of the file.
func sections() (list []Section) {
	for _, part := range strings.Split("\n"+notices, "\n"+mark)[1:] {
		head, text, _ := strings.Cut(part, "\n")
		names, spdx, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
		list = append(list, Section{strings.Split(names, " · "), spdx, text})
	}
	return list
}
