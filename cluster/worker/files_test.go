package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"

	"github.com/nats-io/nats.go"
)

// A slowLine is a proxy that simulates a slow network between a worker and the server. It limits
// the number of bytes per second in each direction.
type slowLine struct {
	net.Listener
	to     string
	rate   int
	silent chan struct{} // when it is closed, the worker receives nothing more
	asked  chan struct{} // receives a value when the worker sends something after silent was closed
}

// newSlowLine creates a slow line to the server at the given address. It closes the line when the
// test ends.
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

// carry accepts one connection and transfers its data in both directions.
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
	go copyPieces(far, near, func(bytes int) {
		time.Sleep(time.Duration(bytes) * time.Second / time.Duration(l.rate))
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

// copyPieces copies data until one of the ends is closed. Before it writes a piece, it calls the
// function before with the size of the piece.
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

// serveFiles answers requests for pieces of a file, as a hub does. The function offer sets the file
// and returns the file's name.
func serveFiles(t *testing.T, url string) (offer func(content []byte) (name string)) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	var mu sync.Mutex
	files := map[string][]byte{}
	_, err = conn.Subscribe(wire.Names{Run: "run"}.Subject(wire.KindModel, "*"), func(m *nats.Msg) {
		var q wire.Request
		if err := json.Unmarshal(m.Data, &q); err != nil {
			t.Error(err)
		}
		mu.Lock()
		content := files[q.File]
		mu.Unlock()
		from := min(q.Piece*wire.PieceSize, len(content))
		_ = m.Respond(content[from:min(from+wire.PieceSize, len(content))]) // if this answer is lost, the worker repeats the request
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(content []byte) (name string) {
		mu.Lock()
		defer mu.Unlock()
		clear(files)
		name = rundir.TextHash(content)
		files[name] = content
		return name
	}
}

// A file arrives over a slow line even if the whole file takes longer than the timeout of one
// request. If the line is silent, a worker that waits for a file can be interrupted.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	const timeout, rate = 500 * time.Millisecond, 1 << 20
	s := startServer(t)
	offer := serveFiles(t, s.ClientURL())
	line := newSlowLine(t, s.Addr().String(), rate)
	session := newSession(t, "nats://"+line.Addr().String(), timeout)
	for _, size := range []int{rate, wire.PieceSize, 1} { // the first file takes twice the timeout; the second has exactly the size of a piece
		content := make([]byte, size)
		rng := rand.NewChaCha8([32]byte{})
		_, _ = rng.Read(content) // never fails
		name := offer(content)
		if got, err := session.fetch(t.Context(), name); err != nil || !bytes.Equal(got, content) {
			t.Errorf("of %d bytes %d arrived, and %v", size, len(got), err)
		}
		offer(nil)
		if _, err := session.fetch(t.Context(), name); !errors.Is(err, errNoFile) {
			t.Errorf("a file that was removed: %v", err)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	close(line.silent)
	go func() {
		<-line.asked
		interrupt()
	}()
	if _, err := session.fetch(ctx, "any"); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted worker says %v", err)
	}
}
