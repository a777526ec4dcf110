package web_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// quoted matches a double-quoted string of TypeScript, or several such strings joined by +. Go can
// unquote each string, because the sources use no escapes that only TypeScript has.
const quoted = `(` + oneQuoted + `(?:\s*\+\s*` + oneQuoted + `)*)`

const oneQuoted = `"(?:[^"\\]|\\.)*"`

var (
	// These expressions match the texts that the pages show: the argument of say or phrase, and
	// both texts of many.
	said = regexp.MustCompile(`\b(?:say|phrase)\(\s*` + quoted)
	many = regexp.MustCompile(`\bmany\((?:[^"]|"\.")*?,\s*` + quoted + `,\s*` + quoted)
	// choice matches a call of say that chooses between texts in its argument. The test would miss
	// such texts, so the sources must make the choice outside of the call.
	choice     = regexp.MustCompile(`\bsay\([^"()]*(?:\([^()]*\)[^"()]*)*[^?]\?\s*"`)
	quotedPart = regexp.MustCompile(oneQuoted)
	hole       = regexp.MustCompile(`\{\d\}`)
	// attribute matches an attribute with visible text that is not an argument of say. To find
	// untranslated text between tags, serve/independent/words.mjs reads the pages in the browser.
	attribute = regexp.MustCompile(`(?:aria-label|title|placeholder|alt)="([^"]*)"`)
)

// Each dictionary contains all texts of the sources, with the same placeholders, and no other
// texts.
func TestDictionary(t *testing.T) {
	texts := map[string]string{} // for each text, the file that contains it
	sources := os.DirFS("src")
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(d.Name(), ".ts") || name == "words.ts" {
			return err
		}
		source, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		for _, m := range said.FindAllSubmatch(source, -1) {
			texts[unquote(t, m[1])] = name
		}
		for _, m := range many.FindAllSubmatch(source, -1) {
			texts[unquote(t, m[2])] = name
		}
		for _, m := range choice.FindAll(source, -1) {
			t.Errorf("%s: %s… chooses a text within say", name, m)
		}
		if strings.HasSuffix(name, ".tsx") {
			for _, m := range attribute.FindAllSubmatch(source, -1) {
				t.Errorf("%s: %q is not said in the language of the page", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 300 {
		t.Fatalf("the sources say %d texts", len(texts))
	}
	for _, name := range []string{"vi.json"} {
		var dictionary map[string]string
		file, err := fs.ReadFile(sources, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(file, &dictionary); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for text, file := range texts {
			translated, ok := dictionary[text]
			if !ok {
				t.Errorf("%s lacks %q, which %s says", name, text, file)
				continue
			}
			for _, h := range hole.FindAllString(text, -1) {
				if !strings.Contains(translated, h) {
					t.Errorf("%s: %q has no %s", name, translated, h)
				}
			}
		}
		for text := range dictionary {
			if texts[text] == "" {
				t.Errorf("%s has %q, which no source says", name, text)
			}
		}
	}
}

func unquote(t *testing.T, text []byte) string {
	t.Helper()
	whole := ""
	for _, part := range quotedPart.FindAll(text, -1) {
		s, err := strconv.Unquote(string(part))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		whole += s
	}
	return whole
}
