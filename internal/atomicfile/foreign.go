package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Some file systems lack operations that the usual file systems of Linux have, for example Windows
// folders in WSL (/mnt/c), OneDrive, CIFS and VirtualBox. If such a file system does not support an
// operation that is not essential for the data, the functions in this file ignore that.

// Tests replace chmod and syncFile to simulate other file systems.
var (
	chmod    = (*os.File).Chmod
	syncFile = (*os.File).Sync
)

// setMode sets the mode (permissions) of a file if the file system supports that.
func setMode(f *os.File, mode fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := chmod(f, mode); !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// syncFolder makes a rename in dir durable, if the file system can sync folders. It does not ignore
// I/O errors.
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

// Protect makes a file readable only by its owner. protected is false if the file system does not
// support this.
func Protect(path string) (protected bool, err error) {
	if runtime.GOOS == "windows" {
		return true, nil // on Windows a file has the permissions of its folder, which the user owns
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

// Rename is like os.Rename, but waits for other programs on Windows. There a file cannot be
// replaced while another program, such as a virus scanner, an editor or a script, has it open.
// Rename retries for some seconds, and then returns an error for which [IsBusy] is true.
func Rename(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) })
}

// Open is like os.OpenFile, but retries as Rename does: on Windows, opening a file for writing may
// fail while another program reads or replaces the file.
func Open(path string, flag int, mode fs.FileMode) (f *os.File, err error) {
	err = patiently(func() error {
		f, err = os.OpenFile(path, flag, mode)
		return err
	})
	return f, err
}

// Remove is like os.Remove, but retries as Rename does.
func Remove(path string) error {
	return patiently(func() error { return os.Remove(path) })
}
