package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fill creates a file of the given size that begins with text.
func fill(t *testing.T, path, text string, size int64) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// begins reports whether a file begins with text.
func begins(t *testing.T, path, text string) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := make([]byte, len(text))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == text
}

// A full log is renamed to the old log, and a new log is started. This also works if a process dies
// after renaming the log and before creating the new one.
func TestFullLog(t *testing.T) {
	log := File(filepath.Join(t.TempDir(), "log.txt"))
	write := func(line string) {
		t.Helper()
		if n, err := log.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatalf("%d bytes are written, and %v", n, err)
		}
	}
	fill(t, string(log), "first", maxLog-1)
	write("x")
	if _, err := os.Stat(log.old()); err == nil {
		t.Error("a log that is not full was put aside")
	}
	write("second\n")
	if !begins(t, log.old(), "first") || !begins(t, string(log), "second\n") {
		t.Error("the full log is not the old one")
	}
	if err := os.Rename(string(log), log.old()); err != nil { // simulate a process that dies after renaming the log and before creating the new one
		t.Fatal(err)
	}
	write("third\n")
	if !begins(t, log.old(), "second\n") || !begins(t, string(log), "third\n") {
		t.Error("the log that was put aside is lost, or no new one is begun")
	}
}

// If a full log cannot be renamed, it keeps growing.
func TestStuckLog(t *testing.T) {
	log := File(filepath.Join(t.TempDir(), "log.txt"))
	fill(t, string(log), "first", maxLog)
	if err := os.MkdirAll(filepath.Join(log.old(), "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if n, err := log.Write([]byte("second\n")); n != len("second\n") || err == nil {
		t.Errorf("%d bytes are written, and %v; want the line written, and why the log could not be put aside", n, err)
	}
	if text, err := os.ReadFile(string(log)); err != nil || !bytes.HasSuffix(text, []byte("second\n")) {
		t.Errorf("the log does not end with the line: %v", err)
	}
}

// If several writers notice at the same time that the log is full, only one of them renames it, and
// no line is lost.
func TestSharedLog(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a log that another writer has open is not put aside there")
	}
	const rounds, writers = 40, 8
	var want []string
	for w := range writers {
		want = append(want, fmt.Sprint("line ", w))
	}
	for range rounds {
		log := File(filepath.Join(t.TempDir(), "log.txt"))
		fill(t, string(log), "first", maxLog)
		begin := make(chan struct{})
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				<-begin
				if _, err := log.Write(fmt.Appendln(nil, "line", w)); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		all.Wait()
		if !begins(t, log.old(), "first") {
			t.Fatal("the full log is lost")
		}
		got := slices.Sorted(slices.Values(append(linesAfter(t, log.old(), maxLog), linesAfter(t, string(log), 0)...)))
		if !slices.Equal(got, want) {
			t.Fatalf("the logs have the lines %q, want %q", got, want)
		}
	}
}

// linesAfter returns the lines of a file after the first offset bytes, or none if the file does not
// exist.
func linesAfter(t *testing.T, path string, offset int64) []string {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, offset, maxLog))
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}
