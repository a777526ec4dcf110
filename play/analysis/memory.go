package analysis

import (
	"fmt"
	"slices"
	"sync"

	"dojo.example/internal/memory"
	"dojo.example/search/think"
)

// Memory limits the memory of search trees. Several analysers may share one Memory. A search begins
// when enough memory is free. If its visits are limited, it needs enough memory for all its
// simulations. If only its time is limited, it needs an equal share: the whole memory divided by
// the number of lanes of all workers.
type Memory struct {
	total int64

	mu      sync.Mutex
	free    int64       // bytes; guarded by mu
	waiting []*Analyser // analysers whose next search waits for memory; guarded by mu
}

// NewMemory returns a Memory with the given number of bytes.
func NewMemory(bytes int64) *Memory { return &Memory{total: bytes, free: bytes} }

// take reserves the given number of bytes and returns true, if that many are free. Otherwise it
// returns false, and the analyser a is woken when more memory is free.
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

// Check returns an error if a search with the budget b can never begin, because its simulations
// could need more than the whole memory. If the budget also limits the time, there is no error:
// such a search gets a share of the memory, and ends when its tree has filled this share.
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
