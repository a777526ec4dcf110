package serve

import (
	"fmt"
	"sync"
)

// A cache keeps values by key. When it is full it forgets everything.
type cache[T any] struct {
	size func(T) int // what a value takes of the room
	room int
	turn chan struct{} // of those who may make values: as many as it holds

	mu   sync.Mutex
	kept map[string]T
	used int // of the room
}

// newCache returns a cache for which at most makers values are made at a time.
func newCache[T any](room, makers int, size func(T) int) *cache[T] {
	return &cache[T]{size: size, room: room, turn: make(chan struct{}, makers), kept: map[string]T{}}
}

// get returns the value of a key, which make makes if it is not there.
func (c *cache[T]) get(key string, make func() (T, error)) (T, error) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.mu.Lock()
	value, ok := c.kept[key]
	c.mu.Unlock()
	if ok {
		return value, nil
	}
	value, err := make()
	if err == nil {
		c.put(key, value)
	}
	return value, err
}

func (c *cache[T]) put(key string, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := c.size(value)
	if c.used += size; c.used > c.room {
		clear(c.kept)
		c.used = size
	}
	c.kept[key] = value
}

// version returns a key for what is read from the file at a path, as it is now.
func version(path string) string { return fmt.Sprint(path, stampOf(path)) }
