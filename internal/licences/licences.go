// Package licences embeds the licences of dojo and of all code that is linked into it. The script
// generate collects them. Each distinct licence text has a section, whose title lists the modules
// to which it applies. Modules that are linked only on some systems are included on all systems.
package licences

import _ "embed"

//go:generate ./generate

//go:embed modules.txt
var modules string

// Portable holds the licences that apply to the program that runs in the browser: those of dojo, of
// Go, and of functions translated from other libraries.
//
//go:embed portable.txt
var Portable string

// All returns the licences of dojo and of all code that is linked into it.
func All() string {
	return "dojo and what is linked into it come under these licences.\n\n" + Portable + modules
}
