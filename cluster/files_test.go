package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"dojo.example/cluster"

	"github.com/nats-io/nats.go"
)

// A slowLine is the network between a worker and the server, which carries a limited number of bytes a
// second to the worker.
type slowLine struct {
	net.Listener
	to     string
	rate   int
	silent chan struct{} // once it is closed, the worker hears nothing any more
	asked  chan struct{} // gets a value for what the worker sends then
}

// newSlowLine lays a line to a server. It is gone when the test ends.
func newSlowLine(t *testing.T, to string, rate int) *slowLine {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	line := &slowLine{l, to, rate, make(chan struct{}), make(chan struct{}, 1)}
	go line.carry(t.Context())
	return line
}

// carry carries what is said on one connection, both ways.
func (l *slowLine) carry(ctx context.Context) {
	near, err := l.Accept()
	if err != nil {
		return
	}
	defer near.Close()
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer far.Close()
	go copyPieces(far, near, func(int) {
		select {
		case <-l.silent:
			select {
			case l.asked <- struct{}{}:
			default:
			}
		default:
		}
	})
	copyPieces(near, far, func(bytes int) {
		time.Sleep(time.Duration(bytes) * time.Second / time.Duration(l.rate))
		select {
		case <-l.silent:
			<-ctx.Done()
		default:
		}
	})
}

// copyPieces copies until one of the ends is closed, and calls before for every piece.
func copyPieces(to io.Writer, from io.Reader, before func(bytes int)) {
	piece := make([]byte, 1<<14)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		before(n)
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}

// A file that takes longer than a request may arrives over a slow line, and who waits for one on
// a silent line hears Ctrl-C.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	const timeout, rate = 500 * time.Millisecond, 1 << 20
	s, hub := startMatchHub(t, cluster.Times{})
	defer hub.Close(false)
	line := newSlowLine(t, s.Addr().String(), rate)
	conn, err := nats.Connect("nats://" + line.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	worker := cluster.WorkerOptions{Name: "w", Log: quiet}.WithTimes(cluster.Times{Request: timeout})
	for _, size := range []int{rate, 64 << 10, 1} { // the first takes two timeouts; the second fills its piece
		content := make([]byte, size)
		rng := rand.NewChaCha8([32]byte{})
		_, _ = rng.Read(content) // never fails
		name, remove := hub.OfferFile(content)
		if got, err := hub.FetchFile(t.Context(), conn, worker, name); err != nil || !bytes.Equal(got, content) {
			t.Errorf("of %d bytes %d arrived, and %v", size, len(got), err)
		}
		remove()
		if _, err := hub.FetchFile(t.Context(), conn, worker, name); !errors.Is(err, cluster.ErrNoFile) {
			t.Errorf("a file that was removed: %v", err)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	close(line.silent)
	go func() {
		<-line.asked
		interrupt()
	}()
	if _, err := hub.FetchFile(ctx, conn, worker, "any"); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted worker says %v", err)
	}
}
