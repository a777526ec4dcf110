package serve

import "sync"

// A fileCache keeps what was read from files. A file is read when it is first asked for and
// after it has changed. A full cache drops everything.
type fileCache[T any] struct {
	size func(T) int // what a value takes of the room
	room int

	mu    sync.Mutex // also held while a file is read: more than one reader would slow down training
	files map[string]cached[T]
	used  int // of the room
}

// A cached value and the file that it is from.
type cached[T any] struct {
	value T
	stamp stamp
	size  int
}

func newFileCache[T any](room int, size func(T) int) *fileCache[T] {
	return &fileCache[T]{size: size, room: room, files: map[string]cached[T]{}}
}

// get returns what read reads from the file at path.
func (c *fileCache[T]) get(path string, read func(path string) (T, error)) (value T, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, f := stampOf(path), c.files[path]
	if f.stamp == now && now != (stamp{}) {
		return f.value, nil
	}
	if value, err = read(path); err != nil {
		return value, err
	}
	size := c.size(value)
	if c.used += size - f.size; c.used > c.room {
		clear(c.files)
		c.used = size
	}
	c.files[path] = cached[T]{value, now, size}
	return value, nil
}
