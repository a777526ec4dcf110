package hub_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// A network connects simulated workers with the hub. Its connections are those of a bad line:
// each chunk of bytes is late, and now and then a connection is cut in the middle of one, or a
// byte of it changes.
type network struct {
	latency      time.Duration // the most; each chunk draws its own
	cut, corrupt float64       // probability for each chunk

	mu    sync.Mutex
	rng   *rand.Rand                      // guarded by mu
	dial  func() (net.Conn, error)        // to the hub; nil while there is none; guarded by mu
	lines map[string]map[*line]bool       // by the worker that uses them; guarded by mu
	held  map[string]map[chan<- bool]bool // by worker: who waits until it is reachable again; guarded by mu
	cuts  int                             // guarded by mu
}

// A line is a connection of a worker: near is the worker's end of it, and far the hub's.
type line struct{ near, far net.Conn }

func (w *line) close() { _, _ = w.near.Close(), w.far.Close() }

// connect tells where the hub is from now on.
func (n *network) connect(dial func() (net.Conn, error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dial = dial
}

// to connects a worker with the hub.
func (n *network) to(worker string) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		n.mu.Lock()
		dial := n.dial
		n.mu.Unlock()
		if dial == nil {
			return nil, errors.New("connection refused")
		}
		far, err := dial()
		if err != nil {
			return nil, err
		}
		mine, near := net.Pipe()
		w := &line{near, far}
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.lines[worker] == nil {
			n.lines[worker] = map[*line]bool{}
		}
		n.lines[worker][w] = true
		go n.carry(worker, w, far, near)
		go n.carry(worker, w, near, far)
		return mine, nil
	}
}

// drop cuts all connections of a worker, as its death does.
func (n *network) drop(worker string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for w := range n.lines[worker] {
		w.close()
	}
	delete(n.lines, worker)
}

// hold keeps back all that a worker sends and is sent for some time. Nobody is told.
func (n *network) hold(ctx context.Context, worker string, d time.Duration) {
	n.mu.Lock()
	n.held[worker] = map[chan<- bool]bool{}
	n.mu.Unlock()
	wait(ctx, d)
	n.mu.Lock()
	defer n.mu.Unlock()
	for waiting := range n.held[worker] {
		close(waiting)
	}
	delete(n.held, worker)
}

// reachable waits until a worker is not held.
func (n *network) reachable(worker string) {
	n.mu.Lock()
	waiting := n.held[worker]
	if waiting == nil {
		n.mu.Unlock()
		return
	}
	again := make(chan bool)
	waiting[again] = true
	n.mu.Unlock()
	<-again
}

// A chunk is bytes that are on their way.
type chunk struct {
	bytes []byte
	due   time.Time
}

// carry carries bytes from one end to the other until one of them is closed. What is on its way
// has room without limit: who writes holds locks, and a goroutine that waits for a lock stops the
// clock of a bubble.
func (n *network) carry(worker string, w *line, from, to net.Conn) {
	defer w.close()
	var mu sync.Mutex
	more := sync.NewCond(&mu)
	var way []chunk // guarded by mu
	send := func(c chunk) {
		mu.Lock()
		defer mu.Unlock()
		way = append(way, c)
		more.Signal()
	}
	go func() {
		buffer := make([]byte, 1<<15)
		for {
			size, err := from.Read(buffer)
			if err != nil {
				send(chunk{})
				return
			}
			send(n.spoil(append([]byte(nil), buffer[:size]...)))
		}
	}()
	for {
		mu.Lock()
		for len(way) == 0 {
			more.Wait()
		}
		c := way[0]
		way = way[1:]
		mu.Unlock()
		time.Sleep(time.Until(c.due))
		n.reachable(worker)
		if _, err := to.Write(c.bytes); err != nil || c.due.IsZero() {
			return
		}
	}
}

// spoil decides what happens to a chunk. One that is due at no time is the last.
func (n *network) spoil(bytes []byte) chunk {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := chunk{bytes, time.Now().Add(time.Duration(n.rng.Int64N(int64(n.latency) + 1)))}
	if n.rng.Float64() < n.cut {
		n.cuts++
		c = chunk{bytes: bytes[:n.rng.IntN(len(bytes)+1)]}
	}
	if n.rng.Float64() < n.corrupt && len(c.bytes) > 0 {
		c.bytes[n.rng.IntN(len(c.bytes))] ^= 1 << n.rng.IntN(8)
	}
	return c
}
