// Package licences embeds the licences of dojo and of everything that is linked into it. The script
// generate collects them. Each distinct text is a section, headed by the modules to which it
// applies. Modules that are linked only on some systems are listed for all systems.
package licences

import _ "embed"

//go:generate ./generate

//go:embed modules.txt
var modules string

// Portable holds the licences of the program for the browser: the licences of dojo, of Go, and of
// functions that were translated from other libraries.
//
//go:embed portable.txt
var Portable string

// All returns the licences of everything in the program.
func All() string {
	return "dojo and what is linked into it come under these licences.\n\n" + Portable + modules
}
