package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Replacing or removing a file fails while another program has it open. patiently retries until
// that program has closed the file.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	path, made := filepath.Join(dir, "f"), filepath.Join(dir, "made")
	for name, do := range map[string]func() error{
		"replace": func() error { return os.Rename(made, path) },
		"remove":  func() error { return os.Remove(path) },
	} {
		for _, file := range []string{path, made} {
			if err := os.WriteFile(file, []byte(file), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		reader, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		tries := 0
		err = patiently(func() error {
			err := do()
			if tries++; tries == 3 {
				_ = reader.Close() // an error does no harm, because the file was only read
			}
			if tries <= 3 && !IsBusy(err) {
				t.Errorf("%s: the error of a file that is open is %v", name, err)
			}
			return err
		})
		if err != nil || tries != 4 {
			t.Errorf("%s: after %d tries %v, want success after 4", name, tries, err)
		}
	}
}

// Follow resolves paths without a drive, and paths relative to the current folder of a drive, as
// Windows does.
func TestFollowOnWindows(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	volume := filepath.VolumeName(here)
	for path, want := range map[string]string{
		`x.html`:             filepath.Join(here, "x.html"),
		`\tmp\x.html`:        volume + `\tmp\x.html`,
		volume + `x.html`:    filepath.Join(here, "x.html"),
		volume + `..\x.html`: filepath.Join(filepath.Dir(here), "x.html"),
		volume + `\x.html`:   volume + `\x.html`,
	} {
		if end, _, err := Follow(path); end != want || err != nil {
			t.Errorf("%s is %s, %v; want %s", path, end, err, want)
		}
	}
}
