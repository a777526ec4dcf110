// Package licences embeds the licences of dojo and of all code that is linked into it. The script
// generate collects them. Each distinct text is a section, and its title lists the modules to which
// the text applies. A module that is linked only on some systems is listed on all systems.
package licences

import _ "embed"

//go:generate ./generate

//go:embed modules.txt
var modules string

// Portable holds the licences that concern the program for the browser: the licences of dojo, of
// Go, and of functions that were translated from other libraries.
//
//go:embed portable.txt
var Portable string

// All returns the licences of dojo and of all code that is linked into it.
func All() string {
	return "dojo and what is linked into it come under these licences.\n\n" + Portable + modules
}
