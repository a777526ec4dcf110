package cli

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// A cable simulates the network between a worker and the trainer. It delays data by some
// milliseconds. It loses one packet in a hundred, and resends that packet after a fifth of a
// second.
type cable struct {
	l  net.Listener
	to string

	mu     sync.Mutex
	rng    *rand.Rand        // guarded by mu
	down   bool              // whether the cable is cut; guarded by mu
	silent int               // number of calls of silence minus calls of speak; guarded by mu
	conns  map[net.Conn]bool // open connections; guarded by mu
}

// newCable starts a cable to an address. The cable is removed when the test ends.
func newCable(t *testing.T, to string, rng *rand.Rand) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &cable{l: l, to: to, rng: rng, conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { w.connect(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
		all.Wait()
	})
	return w
}

func (w *cable) address() string { return w.l.Addr().String() }

// connect carries the data of a connection in both directions.
func (w *cable) connect(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", w.to)
	if err != nil {
		return // the trainer is not running
	}
	defer far.Close()
	w.mu.Lock()
	down := w.down
	if !down {
		w.conns[near], w.conns[far] = true, true
	}
	w.mu.Unlock()
	if down {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { w.carry(near, far) })
	both.Go(func() { w.carry(far, near) })
	both.Wait()
	w.mu.Lock()
	delete(w.conns, near)
	delete(w.conns, far)
	w.mu.Unlock()
}

// carry copies bytes in one direction until either end is closed, and then closes both ends.
func (w *cable) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	packets := make([]byte, 1<<16)
	for {
		n, err := from.Read(packets)
		if err != nil {
			return
		}
		w.mu.Lock()
		delay := time.Duration(1+w.rng.IntN(5)) * time.Millisecond
		if w.rng.IntN(100) == 0 {
			delay += 200 * time.Millisecond
		}
		w.mu.Unlock()
		time.Sleep(delay)
		for w.isSilent() {
			time.Sleep(10 * time.Millisecond)
		}
		if _, err := to.Write(packets[:n]); err != nil {
			return
		}
	}
}

// cut closes all connections. New ones are refused until mend is called.
func (w *cable) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.conns {
		_ = c.Close() // errors do not matter here
	}
}

func (w *cable) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// silence holds back all data until speak is called. Connections stay open.
func (w *cable) silence() { w.hush(1) }
func (w *cable) speak()   { w.hush(-1) }

func (w *cable) hush(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent += n
}

func (w *cable) isSilent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.silent > 0 && !w.down
}
