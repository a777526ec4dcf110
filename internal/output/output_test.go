package output_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dojo.example/internal/output"
)

// put writes a file, and creates its parent folders if necessary.
func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}

// write opens the place called name and writes "new" to it.
func write(name string, p output.Policy) error {
	f, err := output.Open(name, p)
	if err != nil {
		return err
	}
	return f.WriteText(context.Background(), "new")
}

func answer(yes bool, err error) output.Policy {
	return output.Policy{Ask: func(string) (bool, error) { return yes, err }}
}

func TestExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := write(path, output.Policy{}); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
	gone := errors.New("the terminal is gone")
	for name, c := range map[string]struct {
		policy output.Policy
		says   string
	}{
		"nobody to ask": {output.Policy{}, "--force"},
		"no":            {answer(false, nil), "not replaced"},
		"no answer":     {answer(false, gone), "gone"},
		"yes":           {answer(true, nil), ""},
		"force":         {output.Policy{Force: true}, ""},
	} {
		put(t, path, "old")
		err := write(path, c.policy)
		switch {
		case c.says == "" && err == nil:
			holds(t, path, "new")
		case c.says == "" || err == nil || !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: error %v should say %q", name, err, c.says)
		default:
			holds(t, path, "old")
		}
	}
}

// If a place cannot be written, Open returns an error before the work begins, and changes nothing.
func TestUnwritablePlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its errors read otherwise")
	}
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "file"), "old")
	for name, says := range map[string]string{
		filepath.Join(dir, "none", "f"): "no such file or directory",
		filepath.Join(file, "f"):        "not a directory",
	} {
		if _, err := output.Open(name, output.Policy{Force: true}); err == nil || err.Error() != "write "+name+": "+says {
			t.Errorf("open %s: %v, want %q", name, err, says)
		}
	}
	if _, err := output.OpenFolder(filepath.Join(file, "a", "b"), "mark", nil, output.Policy{}); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a folder below a file: %v", err)
	}
	if _, err := output.OpenFolder(filepath.Join(dir, "a", "b"), "mark", nil, output.Policy{}); err != nil {
		t.Errorf("a folder in one that is to be made: %v", err)
	}
	if os.Getuid() > 0 { // because root may write everywhere
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		if _, err := output.Open(file, output.Policy{Force: true}); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("a file in a folder that only may be read: %v", err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("in the folder are %v, %v; want only the file", left, err)
	}
}

// If a file appears after the call of Open, it is not replaced, because the user was not asked.
func TestFileThatAppearsMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := output.Open(path, output.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, "old")
	if err := f.Write(t.Context(), func(io.Writer) error { return nil }); err == nil {
		t.Error("a file that appeared meanwhile was replaced")
	}
	holds(t, path, "old")
}

// If the place is a symbolic link, its target is written, even if the target does not exist yet.
// The link remains.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("ordinary users may not make links there")
	}
	dir := t.TempDir()
	target := put(t, filepath.Join(dir, "real", "f"), "old")
	link, dangling := filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	for from, to := range map[string]string{link: "real/f", dangling: "real/g"} {
		if err := os.Symlink(to, from); err != nil {
			t.Skip(err)
		}
	}
	if err := write(link, output.Policy{}); err == nil {
		t.Error("the file behind a link was replaced without leave")
	}
	for _, name := range []string{link, dangling} {
		if err := write(name, output.Policy{Force: true}); err != nil {
			t.Error(err)
		}
		if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", name, info.Mode(), err)
		}
	}
	holds(t, target, "new")
	holds(t, filepath.Join(dir, "real", "g"), "new")
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := write(loop, output.Policy{Force: true}); err == nil || !strings.Contains(err.Error(), "links") {
		t.Errorf("a link to itself: %v", err)
	}
}

// If the policy refuses a place, nothing is written or created there, even with Force.
func TestRefusedPlaces(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "f"), "old")
	refused := errors.New("it is another's")
	p := output.Policy{Force: true, Refuse: func(string) error { return refused }}
	if err := write(path, p); !errors.Is(err, refused) {
		t.Errorf("a file: %v", err)
	}
	holds(t, path, "old")
	dir := filepath.Join(filepath.Dir(path), "site")
	if err := writeFolder(dir, site, p); !errors.Is(err, refused) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a refused folder was made")
	}
}

func TestFolderIsNoFile(t *testing.T) {
	if err := write(t.TempDir(), output.Policy{Force: true}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder as a file: %v", err)
	}
}

var site = map[string][]byte{"index.html": []byte("new"), "mark": []byte("new")}

func writeFolder(name string, files map[string][]byte, p output.Policy) error {
	f, err := output.OpenFolder(name, "mark", []string{"index.html", "mark"}, p)
	if err != nil {
		return err
	}
	return f.Write(files)
}

func TestFolders(t *testing.T) {
	force := output.Policy{Force: true}
	for name, c := range map[string]struct {
		before map[string]string
		policy output.Policy
		says   string
	}{
		"nothing yet":              {nil, output.Policy{}, ""},
		"an earlier one":           {map[string]string{"index.html": "old", "mark": "old"}, output.Policy{}, "--force"},
		"an earlier one, replaced": {map[string]string{"index.html": "old", "mark": "old"}, force, ""},
		"an earlier one, agreed":   {map[string]string{"mark": "old"}, answer(true, nil), ""},
		"somebody's page":          {map[string]string{"index.html": "old"}, force, "index.html"},
		"an earlier one and more":  {map[string]string{"mark": "old", "notes": "old"}, force, "notes"},
		"folders":                  {map[string]string{"mark/notes": "old"}, force, "mark"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "site")
			for file, text := range c.before {
				put(t, filepath.Join(dir, file), text)
			}
			err := writeFolder(dir, site, c.policy)
			if c.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				for file, text := range site {
					holds(t, filepath.Join(dir, file), string(text))
				}
			} else {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v should say %q", err, c.says)
				}
				for file, text := range c.before {
					holds(t, filepath.Join(dir, file), text)
				}
			}
			alone(t, parent)
		})
	}
}

func TestEmptyFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "site")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFolder(dir, site, output.Policy{}); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, "mark"), "new")
	t.Chdir(t.TempDir())
	if err := writeFolder(".", site, output.Policy{}); err == nil || !strings.Contains(err.Error(), "the current folder") {
		t.Errorf("the folder of the shell: %v", err)
	}
}

// If an error occurs after some files have been written, for example because the disk is full, none
// of the new files remain, and an earlier folder is unchanged.
func TestFolderOrNothing(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "site")
	broken := map[string][]byte{"index.html": []byte("new"), "no/such/folder": []byte("new")}
	err := writeFolder(dir, broken, output.Policy{})
	if err == nil || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("error %v should name %s and no temporary", err, dir)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	put(t, filepath.Join(dir, "mark"), "old")
	if err := writeFolder(dir, broken, output.Policy{Force: true}); err == nil {
		t.Error("a folder that cannot be written was")
	}
	holds(t, filepath.Join(dir, "mark"), "old")
	alone(t, parent)
}

// alone checks that the folder parent contains only the folder site.
func alone(t *testing.T, parent string) {
	t.Helper()
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 || left[0].Name() != "site" {
		t.Errorf("in the folder are %v, %v; want only site", left, err)
	}
}
