package serve

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

// All callers that ask for a value while it is being made get the same value. A caller whose
// context ends stops waiting, but the cache still stores the value.
func TestCacheMakesOnce(t *testing.T) {
	x := newCache(10, 1, func(int) int { return 1 })
	begun, release, made := make(chan bool), make(chan bool), 0
	slow := func() (int, error) {
		made++
		begun <- true
		<-release
		return 7, nil
	}
	var waiting sync.WaitGroup
	for range 10 {
		waiting.Go(func() {
			if value, err := x.get(t.Context(), "a", slow); value != 7 || err != nil {
				t.Errorf("%d, %v; want 7", value, err)
			}
		})
	}
	<-begun
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, key := range []string{"a", "b"} { // b waits, because a occupies the only maker
		if _, err := x.get(gone, key, func() (int, error) { return 8, nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("who hung up while %s was made got %v", key, err)
		}
	}
	close(release)
	waiting.Wait()
	if value, err := x.get(t.Context(), "b", func() (int, error) { return 8, nil }); value != 8 || err != nil || made != 1 {
		t.Errorf("%d, %v, made %d times; want 8, and a made once", value, err, made)
	}
}

// The cache evicts the least recently used value. It keeps a value that is larger than the whole
// cache, but then evicts all others. If making a value fails, the next request tries again.
func TestCacheOrder(t *testing.T) {
	x := newCache(3, 1, func(size int) int { return size })
	made := ""
	ask := func(key string, size int) {
		t.Helper()
		if value, err := x.get(t.Context(), key, func() (int, error) { made += key; return size, nil }); value != size || err != nil {
			t.Errorf("%s: %d, %v", key, value, err)
		}
	}
	for _, key := range strings.Split("abcadabcd", "") {
		ask(key, 1)
	}
	if made != "abcdbc"+"d" {
		t.Errorf("made %s", made)
	}
	ask("z", 9)
	ask("z", 9)
	if made != "abcdbcdz" || x.used != 9 {
		t.Errorf("made %s, and %d is used", made, x.used)
	}
	broken := errors.New("broken")
	for range 2 {
		if _, err := x.get(t.Context(), "e", func() (int, error) { made += "e"; return 0, broken }); err != broken {
			t.Error(err)
		}
	}
	if _, err := x.get(t.Context(), "p", func() (int, error) { panic("oh") }); err == nil || !strings.Contains(err.Error(), "oh") {
		t.Errorf("a panic is %v", err)
	}
	if !strings.HasSuffix(made, "ee") {
		t.Errorf("made %s", made)
	}
}
