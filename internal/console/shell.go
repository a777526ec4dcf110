package console

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Program is the command that starts this program, as a user would type it.
var Program = startedAs(os.Args[0])

// startedAs returns the command that starts a program with the given os.Args[0].
func startedAs(path string) string {
	if temporary.MatchString(filepath.ToSlash(path)) {
		return "go run ./cmd/dojo"
	}
	return quote(path)
}

// temporary matches the places where "go run" puts a program: a folder of its own, or the build
// cache, where a hash names the program's folder.
var temporary = regexp.MustCompile(`/go-build\d*/|/[0-9a-f]{64}-d/`)

// Command returns a line that a user can type to run this program with the given arguments.
func Command(arguments ...string) string {
	line := Program
	for _, a := range arguments {
		line += " " + quote(a)
	}
	return line
}

// plain matches a word that no shell changes.
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
