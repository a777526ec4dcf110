package analysis

import (
	"fmt"
	"slices"
	"sync"

	"dojo.example/internal/memory"
	"dojo.example/search/think"
)

// A Memory is what the trees of the searches of some analysers may take together. A search begins when
// its part is free: the most that its simulations need, or, if only time limits it, an equal share.
type Memory struct {
	total int64

	mu      sync.Mutex
	free    int64       // guarded by mu
	waiting []*Analyser // whose next search found too little; guarded by mu
}

// NewMemory returns a memory of some bytes.
func NewMemory(bytes int64) *Memory { return &Memory{total: bytes, free: bytes} }

// take takes bytes if they are free. If not, it returns false, and a is woken when more is free.
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

// give gives bytes back. The caller holds no lock of an analyser.
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

// Check returns an error if a search with the budget cannot begin because its simulations could need
// more than all of the memory. A budget with a time too has none: its search may end
// when its share is full.
func (a *Analyser) Check(b think.Budget) error {
	need := a.bytes(b)
	if need <= a.memory.total {
		return nil
	}
	return fmt.Errorf("simulations: %d of %s can need %v for the search tree, and there are %v; raise --memory (%v)",
		b.Visits, a.Game.Name, memory.Size(need), memory.Size(a.memory.total), memory.Limit())
}

// bytes returns what a search with the budget takes from the memory.
func (a *Analyser) bytes(b think.Budget) int64 {
	if b.Visits > 0 {
		if n := a.game.Bytes(a.options.Search, b.Visits, false); n <= a.memory.total || b.Time == 0 {
			return n
		}
	}
	return a.memory.total / int64(a.workers*a.lanes)
}
