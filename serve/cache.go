package serve

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// A cache keeps values by key. When the cache is full, it drops the least recently used value.
type cache[T any] struct {
	size    func(T) int // returns the size of a value, in the same unit as room
	room    int
	turn    chan struct{} // limits how many values are made at a time
	flights singleflight.Group

	mu   sync.Mutex
	kept *simplelru.LRU[string, T]
	used int // sum of all sizes; exceeds room only if a single value does
}

// newCache returns an empty cache. room limits the total size of its values, and makers the number
// of values that are made at a time.
func newCache[T any](room, makers int, size func(T) int) *cache[T] {
	c := &cache[T]{size: size, room: room, turn: make(chan struct{}, makers)}
	const many = 1 << 30 // the number of values has no limit, only their total size
	c.kept, _ = simplelru.NewLRU(many, func(_ string, left T) { c.used -= size(left) })
	return c
}

// get returns the value of key. If the cache does not have the value, get calls make. Concurrent
// callers for the same key share one call of make. If a caller's context ends, the caller stops
// waiting, but make runs to completion and the cache keeps the value.
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

// fill makes the value of key and stores it, unless another call has stored it in the meantime.
func (c *cache[T]) fill(key string, make func() (T, error)) (value T, err error) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	defer func() {
		// fill runs in its own goroutine, where a panic would end the server.
		if p := recover(); p != nil {
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
	c.kept.Remove(key) // also subtracts the size of an old value from used
	c.kept.Add(key, value)
	for c.used += c.size(value); c.used > c.room && c.kept.Len() > 1; {
		c.kept.RemoveOldest()
	}
}

// version returns a cache key for the file at path. The key changes when the file changes.
func version(path string) string { return fmt.Sprint(path, stampOf(path)) }
