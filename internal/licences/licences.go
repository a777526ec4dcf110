// Package licences embeds the licences of dojo and of everything linked into it, as its program
// generate collects them: a section for each distinct text, headed by what it covers. Modules
// that only some systems link are listed for all.
package licences

import _ "embed"

//go:generate ./generate

//go:embed modules.txt
var modules string

// Portable has the licences of the program for the browser: of dojo, of Go, and of functions
// translated from other libraries.
//
//go:embed portable.txt
var Portable string

// All returns the licences of everything in the program.
func All() string {
	return "dojo and what is linked into it come under these licences.\n\n" + Portable + modules
}
