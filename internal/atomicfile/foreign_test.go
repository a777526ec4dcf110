package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Files can be written even if the file system does not support modes or syncing folders. Disk
// errors are still reported.
func TestOtherFileSystems(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes are set and no folders synced there")
	}
	oldMode, oldSync := chmod, syncFile
	t.Cleanup(func() { chmod, syncFile = oldMode, oldSync })
	for _, c := range []struct {
		name        string
		chmod, sync error // errors of setting a file's mode and of syncing a folder
		want        error
	}{
		{"a good one", nil, nil, nil},
		{"no modes: EPERM", syscall.EPERM, nil, nil},
		{"no modes: ENOTSUP", syscall.ENOTSUP, nil, nil},
		{"no sync of folders: EINVAL", nil, syscall.EINVAL, nil},
		{"no sync of folders: ENOTSUP", nil, syscall.ENOTSUP, nil},
		{"no sync of folders: ENOSYS", nil, syscall.ENOSYS, nil},
		{"a broken disk", nil, syscall.EIO, syscall.EIO},
		{"a read-only disk", syscall.EROFS, nil, syscall.EROFS},
	} {
		chmod = func(f *os.File, m fs.FileMode) error { return wrapped(f, c.chmod) }
		syncFile = func(f *os.File) error { return wrapped(f, c.sync) }
		path := filepath.Join(t.TempDir(), "f")
		if err := WriteBytes(path, []byte("text")); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if c.want == nil {
			if text, err := os.ReadFile(path); string(text) != "text" {
				t.Errorf("%s: the file reads %q, %v", c.name, text, err)
			}
		}
	}
	chmod = func(f *os.File, m fs.FileMode) error { return syscall.EPERM }
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if protected, err := Protect(path); protected || err != nil {
		t.Errorf("a key that others can read is protected: %v, %v", protected, err)
	}
	chmod = oldMode
	if protected, err := Protect(path); !protected || err != nil {
		t.Errorf("a key is not protected: %v, %v", protected, err)
	}
}

// wrapped wraps err in the same way as the methods of os.File wrap their errors.
func wrapped(f *os.File, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "x", Path: f.Name(), Err: err}
}
