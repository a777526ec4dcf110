package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Some file systems cannot do all that Linux's own can: folders of Windows in WSL (/mnt/c), OneDrive,
// CIFS, VirtualBox. What they refuse is left out where no data depends on it.

// chmod and syncFile stand for the file's methods in tests.
var (
	chmod    = (*os.File).Chmod
	syncFile = (*os.File).Sync
)

// setMode sets the mode of a file, where files have modes.
func setMode(f *os.File, mode fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := chmod(f, mode); !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// syncFolder makes a rename last, where a folder can be synced. An input or output error stays one.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = syncFile(d)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

// Protect lets nobody but the owner of a file read it. It reports whether that could be done: the file
// system may not know owners.
func Protect(path string) (protected bool, err error) {
	if runtime.GOOS == "windows" {
		return true, nil // a file has the rights of its folder, a user's own
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if err := setMode(f, 0o600); err != nil {
		return false, err
	}
	info, err := f.Stat()
	return err == nil && info.Mode().Perm()&0o077 == 0, err
}

// Rename is os.Rename. On Windows, where a file that another program has open cannot be
// replaced, it tries again for some seconds: a virus scanner, an editor or a script may read the file.
// After that the error is one for [IsBusy].
func Rename(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) })
}

// Open is os.OpenFile with the patience of Rename: others may not let a file be written while they read or
// replace it.
func Open(path string, flag int, mode fs.FileMode) (f *os.File, err error) {
	err = patiently(func() error {
		f, err = os.OpenFile(path, flag, mode)
		return err
	})
	return f, err
}

// Remove is os.Remove with the patience of Rename.
func Remove(path string) error {
	return patiently(func() error { return os.Remove(path) })
}
