package console

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Program is how this program was started, as one would type it again.
var Program = startedAs(os.Args[0])

// startedAs is a command that runs the program whose os.Args[0] is given.
func startedAs(path string) string {
	if temporary.MatchString(filepath.ToSlash(path)) {
		return "go run ./cmd/dojo"
	}
	return quote(path)
}

// temporary is where "go run" puts a program: a folder of its own, or the
// cache of builds, where a program's folder is named by a hash.
var temporary = regexp.MustCompile(`/go-build\d*/|/[0-9a-f]{64}-d/`)

// Command is a line that people can type to run this program with arguments.
func Command(arguments ...string) string {
	line := Program
	for _, a := range arguments {
		line += " " + quote(a)
	}
	return line
}

// plain is a word that no shell changes.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote writes a word so that a shell takes it as it is.
func quote(word string) string {
	switch {
	case plain.MatchString(word), runtime.GOOS == "windows" && !strings.ContainsAny(word, " \t\"&|<>^%()"):
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
