package analysis

import (
	"fmt"
	"slices"
	"sync"

	"dojo.example/internal/memory"
	"dojo.example/search/think"
)

// Memory is a limit on the memory of search trees. Several analysers may share it. A search begins
// when enough of the memory is free. A search with a limit on visits needs enough for all its
// simulations; one that is limited only by time needs an equal share.
type Memory struct {
	total int64

	mu      sync.Mutex
	free    int64       // bytes; guarded by mu
	waiting []*Analyser // analysers without enough memory for their next search; guarded by mu
}

// NewMemory returns a Memory with the given number of bytes.
func NewMemory(bytes int64) *Memory { return &Memory{total: bytes, free: bytes} }

// take reserves the bytes and returns true if so many are free. Otherwise it returns false, and a
// is woken when more memory is free.
func (m *Memory) take(bytes int64, a *Analyser) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes > m.free {
		if !slices.Contains(m.waiting, a) {
			m.waiting = append(m.waiting, a)
		}
		return false
	}
	m.free -= bytes
	return true
}

// give releases reserved bytes. The caller must not hold the lock of an analyser.
func (m *Memory) give(bytes int64) {
	m.mu.Lock()
	m.free += bytes
	waiting := m.waiting
	m.waiting = nil
	m.mu.Unlock()
	for _, a := range waiting {
		a.wake()
	}
}

// Check returns an error if a search with the budget can never begin because its simulations could
// need more than the whole memory. There is no error for a budget that also limits the time: its
// search may end when its share of the memory is full.
func (a *Analyser) Check(b think.Budget) error {
	need := a.bytes(b)
	if need <= a.memory.total {
		return nil
	}
	return fmt.Errorf("simulations: %d simulations of %s can need %v for the search tree, but only %v are available for trees; raise --memory (now %v)",
		b.Visits, a.Game.Name, memory.Size(need), memory.Size(a.memory.total), memory.Limit())
}

// bytes returns the memory that a search with the budget reserves.
func (a *Analyser) bytes(b think.Budget) int64 {
	if b.Visits > 0 {
		if n := a.game.Bytes(a.options.Search, b.Visits, false); n <= a.memory.total || b.Time == 0 {
			return n
		}
	}
	return a.memory.total / int64(a.workers*a.lanes)
}
