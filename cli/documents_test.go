package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These expressions find the commands in a document: in sh code blocks and between backticks.
var (
	codeBlock = regexp.MustCompile("(?s)```(\\w*)[^\n]*\n(.*?)```")
	codeSpan  = regexp.MustCompile("(?s)`([^`]+)`")
	comment   = regexp.MustCompile(`\s+#\s.*`)
	variable  = regexp.MustCompile(`DOJO_[A-Z]+`)
	secret    = regexp.MustCompile(`\$[({](DOJO_\w+)`)
)

// All verbs, flags, tests and environment variables that README.md and the documents mention exist.
func TestDocumentedCommands(t *testing.T) {
	const top = ".."
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "engine/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	compiled, commands := sources(t, top), 0
	for _, path := range documents {
		for _, line := range documented(contents(t, path)) {
			words := strings.Fields(line)
			if i := slices.Index(words, "dojo"); i >= 0 && i+1 < len(words) && words[0] != "docker" {
				commands++
				for _, wrong := range unknownWords(words[i+1:]) {
					t.Errorf("%s: %q: %s", path, line, wrong)
				}
			}
			if i := slices.Index(words, "test"); i > 0 && words[i-1] == "go" {
				commands++
				for _, wrong := range unknownTests(t, top, words[i+1:]) {
					t.Errorf("%s: %q: %s", path, line, wrong)
				}
			}
			for _, name := range variable.FindAllString(line, -1) {
				if !strings.Contains(compiled, `"`+name+`"`) {
					t.Errorf("%s: %q: no source reads %s", path, line, name)
				}
			}
		}
	}
	if commands < 40 {
		t.Errorf("the documents have %d commands; this test finds fewer than there are", commands)
	}
}

// documented returns the command lines and other code in a document. Command lines begin with the
// program's name, dojo.
func documented(text string) (lines []string) {
	for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
		if block[1] == "sh" {
			for line := range strings.Lines(block[2]) {
				lines = append(lines, comment.ReplaceAllString(strings.TrimSpace(line), ""))
			}
		}
	}
	for _, span := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		lines = append(lines, span[1])
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "go run ./cmd/dojo", "dojo")
	}
	return lines
}

// unknownWords returns an error for each verb or flag in a command line that does not exist.
func unknownWords(words []string) (wrong []string) {
	root := new(app).root()
	root.InitDefaultCompletionCmd()
	command, _, err := root.Find(words)
	if err != nil || command == root {
		return []string{"there is no such verb"}
	}
	command.InitDefaultHelpFlag()
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case strings.HasPrefix(word, "--") && command.Flags().Lookup(name) == nil:
		case len(word) == 2 && word[0] == '-' && command.Flags().ShorthandLookup(name) == nil:
		default:
			continue
		}
		wrong = append(wrong, command.Name()+" has no flag "+word)
	}
	return wrong
}

// unknownTests returns errors for unknown packages and tests in a "go test" command.
func unknownTests(t *testing.T, top string, words []string) (wrong []string) {
	source := ""
	for i, word := range words {
		if folder, ok := strings.CutPrefix(word, "./"); ok && folder != "..." {
			files, err := filepath.Glob(filepath.Join(top, folder, "*_test.go"))
			if err != nil || len(files) == 0 {
				wrong = append(wrong, word+" has no tests")
			}
			for _, file := range files {
				source += contents(t, file)
			}
		}
		if i == 0 || words[i-1] != "-run" && words[i-1] != "-bench" || word == "xxx" {
			continue
		}
		kind := strings.Replace(strings.TrimPrefix(words[i-1], "-"), "run", "test", 1)
		function := regexp.MustCompile(`(?mi)^func ` + kind + `(\w*)\(`)
		if !slices.ContainsFunc(function.FindAllString(source, -1), regexp.MustCompile(word).MatchString) {
			wrong = append(wrong, "there is no "+kind+" "+word)
		}
	}
	return wrong
}

// sources returns the text of all files that are compiled or deployed.
func sources(t *testing.T, top string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		if filepath.Ext(path) == ".go" {
			all.WriteString(contents(t, path))
		}
		if filepath.Base(filepath.Dir(path)) == "deploy" {
			for _, used := range secret.FindAllStringSubmatch(contents(t, path), -1) {
				fmt.Fprintf(&all, "%q\n", used[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
