package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// If two processes append lines to one file, each reads the other's lines exactly once. The next
// append overwrites the incomplete line of a killed process.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	a, b := Journal{Path: path}, Journal{Path: path, Sync: true}
	read := func(j *Journal) (all []string) {
		if err := j.Read(func(line []byte) error { all = append(all, strings.TrimSpace(string(line))); return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if err := a.Append(1, "<"); err != nil {
		t.Fatal(err)
	}
	if got, want := read(&b), []string{"1", `"\u003c"`}; !slices.Equal(got, want) {
		t.Errorf("the lines are %q, want %q", got, want)
	}
	if err := a.Append(3); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = file.WriteString(`{"torn":`)
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	if err := b.Append(4); err != nil {
		t.Fatal(err)
	}
	if got := read(&a); !slices.Equal(got, []string{"4"}) || read(&b) != nil {
		t.Errorf("the new line is %q, want 4 once", got)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "1\n\"\\u003c\"\n3\n4\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
