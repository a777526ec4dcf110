package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/output"
)

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"one", "another", ""} {
		if err := atomicfile.WriteBytes(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("read %q, %v; want %q", got, err, text)
		}
	}
}

// If a write fails halfway, for example on a full disk, the old file is unchanged and no temporary
// file remains.
func TestFailedWriteChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := atomicfile.WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	err := atomicfile.WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return full
	})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v should name the file and the cause", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("the file now reads %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// If the function that writes the content panics, no temporary file remains.
func TestPanicLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }() // catches the panic of the write below
		_ = atomicfile.WriteFile(filepath.Join(dir, "f"), func(io.Writer) error { panic("broken promise") })
	}()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An error contains the name of the requested file and the cause, but not the name of the temporary
// file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	taken := filepath.Join(dir, "taken")
	for path, mode := range map[string]os.FileMode{locked: 0o555, taken: 0o755} {
		if err := os.Mkdir(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "source")
	copyMissing := func(w io.Writer) error {
		_, err := os.ReadFile(missing)
		return err
	}
	nothing := func(io.Writer) error { return nil }
	for name, test := range map[string]struct {
		path  string
		write func(io.Writer) error
		names string
	}{
		"no folder":         {filepath.Join(dir, "none", "f"), nothing, "none"},
		"a file as folder":  {filepath.Join(dir, "file", "f"), nothing, "f"},
		"a folder as file":  {taken, nothing, "taken"},
		"another's problem": {filepath.Join(dir, "f"), copyMissing, missing},
		"locked folder":     {filepath.Join(locked, "f"), nothing, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "locked folder" && os.Geteuid() <= 0 {
				t.Skip("root may write everywhere, and Windows has no such folders")
			}
			err := atomicfile.WriteFile(test.path, test.write)
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if !strings.HasPrefix(text, "write "+test.path+": ") || !strings.Contains(text, test.names) || strings.Contains(text, ".tmp") {
				t.Errorf("error %q should name %s and no temporary", text, test.path)
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// WriteFile never replaces a device such as /dev/null with a regular file: that would break the
// whole machine.
func TestDeviceStays(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil || before.Mode().IsRegular() {
		t.Skip("there is no device to write to")
	}
	err = atomicfile.WriteBytes(os.DevNull, nil)
	if after, bad := os.Stat(os.DevNull); err == nil || bad != nil || !os.SameFile(before, after) {
		t.Errorf("%s gave way to a file: %v, %v", os.DevNull, err, bad)
	}
}

// Clean removes the temporary files of killed writers. If other processes may be writing in the
// folder, it keeps the files that they have locked. It never removes files of other programs with
// similar names.
func TestClean(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a temporary has no lock there, which would keep it from being renamed: its age decides")
	}
	dir := t.TempDir()
	for _, name := range []string{".tmp-dojo-new", ".tmp-dojo-old", ".tmp-another's", "keep"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".tmp-dojo-folder", "new"), 0o755); err != nil {
		t.Fatal(err)
	}
	held, release, err := atomicfile.CreateTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder, remove, err := atomicfile.MakeTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(want string) {
		t.Helper()
		var names []string
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			switch e.Name() {
			case filepath.Base(held.Name()):
				names = append(names, "file")
			case filepath.Base(folder):
				names = append(names, "folder")
			default:
				names = append(names, e.Name())
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("left are %s, %v; want %s", got, err, want)
		}
	}
	if err := output.Try(filepath.Join(dir, "result")); err != nil {
		t.Fatal(err)
	}
	holds(".tmp-another's file folder keep")
	if err := held.Close(); err != nil { // the writer also closes its file before the rename
		t.Fatal(err)
	}
	if err := output.Try(filepath.Join(dir, "result")); err != nil {
		t.Fatal(err)
	}
	holds(".tmp-another's file folder keep")
	release()
	if err := output.Try(filepath.Join(dir, "result")); err != nil {
		t.Fatal(err)
	}
	holds(".tmp-another's folder keep")
	remove()
	if err := os.WriteFile(filepath.Join(dir, ".tmp-dojo-new"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Clean(dir, nil); err != nil {
		t.Fatal(err)
	}
	holds(".tmp-another's keep")
	if err := atomicfile.Clean(filepath.Join(dir, "none"), nil); err == nil {
		t.Error("a folder that is missing was cleaned")
	}
}
