package cli

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// A cable is the network between a worker and the trainer. What is sent takes some
// milliseconds; a packet in a hundred is lost and sent again after a fifth of a second.
type cable struct {
	l  net.Listener
	to string

	mu     sync.Mutex
	rng    *rand.Rand        // guarded by mu
	down   bool              // nobody gets through; guarded by mu
	silent int               // how many keep the cable silent; guarded by mu
	conns  map[net.Conn]bool // guarded by mu
}

// newCable lays a cable to an address. It is gone when the test ends.
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

// connect carries what is said on a connection, both ways.
func (w *cable) connect(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", w.to)
	if err != nil {
		return // the trainer is away
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

// carry copies bytes until one of the ends is closed, and closes both.
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

// cut ends all connections and lets none through, until mend.
func (w *cable) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.conns {
		_ = c.Close() // which is what is wanted
	}
}

func (w *cable) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// silence holds back what is said, on connections that stay, until speak.
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
