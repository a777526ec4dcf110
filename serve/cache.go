package serve

import (
	"sync"
	"time"
)

// A fileCache keeps what was read from files. A file is read when it is first asked for and
// after it has changed. When the cache is full, the least recently used value is dropped.
type fileCache[T any] struct {
	size func(T) int // what a value takes of the room
	room int

	mu    sync.Mutex // also held while a file is read: more than one reader would slow down training
	files map[string]*cached[T]
	used  int // of the room
}

// A cached value and the file that it is from.
type cached[T any] struct {
	value T
	stamp stamp
	last  time.Time // of its uses
}

func newFileCache[T any](room int, size func(T) int) *fileCache[T] {
	return &fileCache[T]{size: size, room: room, files: map[string]*cached[T]{}}
}

// get returns what read reads from the file at path.
func (c *fileCache[T]) get(path string, read func(path string) (T, error)) (value T, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := stampOf(path)
	if f := c.files[path]; f != nil && f.stamp == now {
		f.last = time.Now()
		return f.value, nil
	}
	if value, err = read(path); err != nil {
		return value, err
	}
	c.forget(path)
	c.files[path] = &cached[T]{value, now, time.Now()}
	c.used += c.size(value)
	for c.used > c.room {
		c.forget(c.oldest())
	}
	return value, nil
}

func (c *fileCache[T]) forget(path string) {
	if f := c.files[path]; f != nil {
		c.used -= c.size(f.value)
		delete(c.files, path)
	}
}

// oldest returns the file whose last use is longest ago.
func (c *fileCache[T]) oldest() (path string) {
	for p, f := range c.files {
		if path == "" || f.last.Before(c.files[path].last) {
			path = p
		}
	}
	return path
}
