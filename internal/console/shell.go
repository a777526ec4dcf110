package console

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Program is the command that the user typed to start this program.
var Program = startedAs(os.Args[0])

// startedAs returns the command that a user types to start a program whose os.Args[0] is path.
func startedAs(path string) string {
	if temporary.MatchString(filepath.ToSlash(path)) {
		return "go run ./cmd/dojo"
	}
	return quote(path)
}

// temporary matches the paths of programs that "go run" has built. They are in a temporary folder,
// or in a folder of the build cache whose name is a hash.
var temporary = regexp.MustCompile(`/go-build\d*/|/[0-9a-f]{64}-d/`)

// Command returns a command line with which a user can run this program with the given arguments.
func Command(arguments ...string) string {
	line := Program
	for _, a := range arguments {
		line += " " + quote(a)
	}
	return line
}

// plain matches words that need no quotes in any shell.
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
