package hub_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// A network connects simulated workers with the hub. Its lines are bad: each chunk of bytes is
// delayed, some chunks arrive with a changed byte, and now and then a line breaks in the middle of
// a chunk.
type network struct {
	latency      time.Duration // the maximum delay of a chunk; each chunk has a random delay
	cut, corrupt float64       // the probabilities, for each chunk, that its line breaks and that a byte changes

	mu    sync.Mutex
	rng   *rand.Rand                      // picks delays and faults at random; guarded by mu
	dial  func() (net.Conn, error)        // connects to the hub; nil while no hub is running; guarded by mu
	lines map[string]map[*line]bool       // the open lines of each worker; guarded by mu
	held  map[string]map[chan<- bool]bool // for each worker that is on hold, the goroutines that wait; guarded by mu
	cuts  int                             // the number of broken connections; guarded by mu
}

// A line is one connection between a worker and the hub. near is the end at the worker, and far is
// the end at the hub.
type line struct{ near, far net.Conn }

func (w *line) close() { _, _ = w.near.Close(), w.far.Close() }

// connect sets the function with which the network connects to the hub from now on.
func (n *network) connect(dial func() (net.Conn, error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dial = dial
}

// to returns a function that opens a line from a worker to the hub.
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

// drop closes all lines of a worker, as if the worker had died.
func (n *network) drop(worker string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for w := range n.lines[worker] {
		w.close()
	}
	delete(n.lines, worker)
}

// hold puts a worker on hold: for a while, the network silently delays everything that the worker
// sends and receives.
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

// reachable waits until a worker is no longer on hold.
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

// A chunk is a piece of data that is on its way from one end of a line to the other.
type chunk struct {
	bytes []byte
	due   time.Time
}

// carry transfers bytes from one end of a line to the other until one of the ends is closed. The
// queue of chunks has no limit, so that writers never block: a writer holds locks, and goroutines
// that wait for a lock would stop the simulated clock.
func (n *network) carry(worker string, w *line, from, to net.Conn) {
	defer w.close()
	var mu sync.Mutex
	more := sync.NewCond(&mu)
	var way []chunk // the queue of chunks; guarded by mu
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

// spoil turns the bytes into a chunk, and decides at random whether it is delayed, damaged or cut.
// If its due time is the zero time, the line breaks after this chunk.
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
