package serve

import (
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"dojo.example/data/rundir"
)

const (
	diskInterval = time.Minute     // time between two measurements of the sizes of the runs
	diskWait     = time.Second / 2 // how long a scrape waits for the measurement that it has started
)

// disks holds the sizes of the runs' folders. Because the folders can have very many files, a
// goroutine measures them, at most once in diskInterval.
type disks struct {
	mu    sync.Mutex
	begun time.Time                 // when the last measurement began; guarded by mu
	done  chan struct{}             // closed when the last measurement has ended; nil before the first; guarded by mu
	bytes map[rundir.Folder]float64 // the last known sizes; guarded by mu
}

// measure starts a measurement of all runs if one is due, and sets their last known sizes.
func (d *disks) measure(all []reading, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.runs() && now.Sub(d.begun) >= diskInterval {
		var folders []rundir.Folder
		for _, r := range all {
			folders = append(folders, r.folder)
		}
		done := make(chan struct{})
		d.begun, d.done = now, done
		go d.walk(folders, done)
		d.mu.Unlock()
		select {
		case <-done:
		case <-time.After(diskWait):
		}
		d.mu.Lock()
	}
	for i := range all {
		all[i].disk = d.bytes[all[i].folder]
	}
}

// runs reports whether a measurement runs now. The caller holds d.mu.
func (d *disks) runs() bool {
	if d.done == nil {
		return false
	}
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// walk measures the folders, and closes done.
func (d *disks) walk(folders []rundir.Folder, done chan struct{}) {
	defer close(done)
	bytes := map[rundir.Folder]float64{}
	for _, f := range folders {
		bytes[f] = float64(folderSize(string(f)))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes = bytes
}

// folderSize returns the sum of the sizes of all files below a folder. It leaves out what it cannot
// read, such as files that are removed meanwhile.
func folderSize(folder string) (sum int64) {
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
