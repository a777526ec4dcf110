package console

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Program is the command with which the user started this program.
var Program = startedAs(os.Args[0])

// startedAs returns the command with which a user starts a program. path is the program's
// os.Args[0].
func startedAs(path string) string {
	if temporary.MatchString(filepath.ToSlash(path)) {
		return "go run ./cmd/dojo"
	}
	return quote(path)
}

// temporary matches the paths where "go run" puts a program. That is either a temporary folder, or
// the build cache, in which a folder with a hash as its name contains the program.
var temporary = regexp.MustCompile(`/go-build\d*/|/[0-9a-f]{64}-d/`)

// Command returns a line that a user can type to run this program with the given arguments.
func Command(arguments ...string) string {
	line := Program
	for _, a := range arguments {
		line += " " + quote(a)
	}
	return line
}

// plain matches a word that needs no quotes in any shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote quotes a word for a shell if necessary.
func quote(word string) string {
	switch {
	case plain.MatchString(word), runtime.GOOS == "windows" && !strings.ContainsAny(word, " \t\"&|<>^%()"):
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
