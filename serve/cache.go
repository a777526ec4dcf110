package serve

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// A cache keeps values by key. When it is full, the value that was used least recently leaves.
type cache[T any] struct {
	size    func(T) int // what a value takes of the room
	room    int
	turn    chan struct{} // of those who make values: as many as it holds
	flights singleflight.Group

	mu   sync.Mutex
	kept *simplelru.LRU[string, T]
	used int // of the room
}

// newCache returns a cache for which at most makers values are made at a time.
func newCache[T any](room, makers int, size func(T) int) *cache[T] {
	c := &cache[T]{size: size, room: room, turn: make(chan struct{}, makers)}
	const many = 1 << 30 // the room is the limit
	c.kept, _ = simplelru.NewLRU(many, func(_ string, left T) { c.used -= size(left) })
	return c
}

// get returns the value of a key. If it is not there, make makes it once for all who ask for it meanwhile.
// A caller whose context ends stops waiting; the value is made and kept nevertheless.
func (c *cache[T]) get(ctx context.Context, key string, make func() (T, error)) (value T, err error) {
	if value, ok := c.find(key); ok {
		return value, nil
	}
	made := c.flights.DoChan(key, func() (any, error) { return c.fill(key, make) })
	select {
	case m := <-made:
		value, _ = m.Val.(T)
		return value, m.Err
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
}

// fill makes the value of a key, unless somebody has just done so, and keeps it.
func (c *cache[T]) fill(key string, make func() (T, error)) (value T, err error) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	defer func() {
		if p := recover(); p != nil { // in a goroutine of its own it would end the server
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if value, ok := c.find(key); ok {
		return value, nil
	}
	if value, err = make(); err == nil {
		c.put(key, value)
	}
	return value, err
}

func (c *cache[T]) find(key string) (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Get(key)
}

func (c *cache[T]) put(key string, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key) // and its size
	c.kept.Add(key, value)
	for c.used += c.size(value); c.used > c.room && c.kept.Len() > 1; {
		c.kept.RemoveOldest()
	}
}

// version returns a key for what is read from the file at a path, as it is now.
func version(path string) string { return fmt.Sprint(path, stampOf(path)) }
