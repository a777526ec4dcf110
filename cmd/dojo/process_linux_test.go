package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo/data"
)

// TestMain makes this test a program that other tests start: dojo itself, or a NATS server.
func TestMain(m *testing.M) {
	switch os.Getenv("DOJO_TEST_ROLE") {
	case "dojo":
		main()
	case "nats":
		if err := serveNATS(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
	default:
		os.Exit(m.Run())
	}
}

// A child is a program that can be killed and started again.
type child struct {
	t    *testing.T
	name string
	dir  string // of what it says
	role string // "": dojo
	args []string

	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // how; to be read when it has ended
}

// start starts it. It is killed when the test ends.
func (p *child) start() {
	p.t.Helper()
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	first := p.cmd == nil
	p.cmd = exec.Command(os.Args[0], p.args...)
	role := p.role
	if role == "" {
		role = "dojo"
	}
	p.cmd.Env = append(os.Environ(), "DOJO_TEST_ROLE="+role)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.ended = make(chan struct{})
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	if first {
		p.t.Cleanup(p.kill)
	}
}

// kill kills it with SIGKILL and waits until it is gone.
func (p *child) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// restart kills it and starts it again.
func (p *child) restart() {
	p.kill()
	p.start()
}

func (p *child) log() string { return filepath.Join(p.dir, p.name+".log") }

// tail is the end of what it has said.
func (p *child) tail() string {
	text, err := os.ReadFile(p.log())
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-1500):]))
}

// freeAddress is HOST:PORT on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A wire is the network between a worker and the trainer. What is sent takes some
// milliseconds; a packet in a hundred is lost and sent again after a fifth of a second.
type wire struct {
	l  net.Listener
	to string

	mu     sync.Mutex
	rng    *rand.Rand        // guarded by mu
	lies   bool              // the shards that it carries are falsified; constant
	down   bool              // nobody gets through; guarded by mu
	silent int               // how many keep the wire silent; guarded by mu
	conns  map[net.Conn]bool // guarded by mu
}

// newWire lays a wire to an address. It is gone when the test ends.
func newWire(t *testing.T, to string, rng *rand.Rand) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{l: l, to: to, rng: rng, conns: map[net.Conn]bool{}}
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

func (w *wire) address() string { return w.l.Addr().String() }

// connect carries what is said on a connection, both ways.
func (w *wire) connect(near net.Conn) {
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
	if w.lies {
		both.Go(func() {
			defer far.Close()
			defer near.Close()
			_ = falsify(far, near) // ends when one of them does
		})
	} else {
		both.Go(func() { w.carry(far, near) })
	}
	both.Wait()
	w.mu.Lock()
	delete(w.conns, near)
	delete(w.conns, far)
	w.mu.Unlock()
}

// carry copies bytes until one of the ends is closed, and closes both.
func (w *wire) carry(to, from net.Conn) {
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

// falsify copies what a worker says to its trainer, in NATS' protocol, and turns the
// outcomes of all games round in the shards that it sends.
func falsify(to io.Writer, from io.Reader) error {
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		words := strings.Fields(line)
		last := len(words) - 1
		var body []byte
		if last > 0 && (words[0] == "PUB" || words[0] == "HPUB") {
			size, err := strconv.Atoi(words[last])
			if err != nil {
				return err
			}
			body = make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(in, body); err != nil {
				return err
			}
			if words[0] == "HPUB" && strings.Contains(words[1], ".results.") {
				header, err := strconv.Atoi(words[last-1])
				if err != nil {
					return err
				}
				shard, err := turnRound(body[header:size])
				if err != nil {
					return err
				}
				body = slices.Concat(body[:header], shard, []byte("\r\n"))
				words[last] = strconv.Itoa(header + len(shard))
				line = strings.Join(words, " ") + "\r\n"
			}
		}
		if _, err := to.Write(append([]byte(line), body...)); err != nil {
			return err
		}
	}
}

// turnRound turns the outcomes of the games in a shard round; what is no shard stays.
func turnRound(content []byte) ([]byte, error) {
	h, rows, err := data.DecodeShard("a result", content)
	if err != nil {
		return content, nil // a pair of games
	}
	for i := range rows {
		rows[i].Outcome = -rows[i].Outcome
	}
	return data.EncodeShard(h.Provenance, rows)
}

// cut ends all connections and lets none through, until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.conns {
		_ = c.Close() // which is what is wanted
	}
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// silence holds back what is said, on connections that stay, until speak.
func (w *wire) silence() { w.hush(1) }
func (w *wire) speak()   { w.hush(-1) }

func (w *wire) hush(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent += n
}

func (w *wire) isSilent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.silent > 0 && !w.down
}

// compareRuns compares the files of two runs, times apart.
func compareRuns(t *testing.T, want, got string) {
	t.Helper()
	wanted, found := runFiles(t, want), runFiles(t, got)
	for name, content := range wanted {
		if other, ok := found[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if other != content {
			t.Errorf("%s differs", name)
		}
	}
	for name := range found {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s is too many", name)
		}
	}
}

// runFiles are the contents of a run's files by name. Of records and metrics the values
// that depend on time are left out.
func runFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"best", "metrics.jsonl", "samples/*/*", "models/*", "trainer/*", "gates/*", "generations/*"} {
		paths, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(folder, path)
			if err != nil {
				t.Fatal(err)
			}
			switch filepath.Dir(name) {
			case ".", "generations":
				if name != "best" {
					content = withoutTimes(t, content)
				}
			case "trainer":
				content = untimedState(content)
			}
			files[name] = string(content)
		}
	}
	if len(files) < 8 {
		t.Fatalf("%s has only %d files: %v", folder, len(files), fs.ErrNotExist)
	}
	return files
}

// withoutTimes removes from objects of JSON what depends on time.
func withoutTimes(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		removeTimes(object)
		if err := encoder.Encode(object); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// untimedState is the state of a trainer without the times that its header has.
func untimedState(content []byte) []byte {
	const before = 8 // the length of the header, which ends with spaces
	n := before + int(binary.LittleEndian.Uint64(content))
	header := timesInState.ReplaceAll(bytes.TrimRight(content[before:n], " "), nil)
	return append(header, content[n:]...)
}

var timesInState = regexp.MustCompile(`\\"(samples_per_second|seconds)\\":[0-9.e+-]+`)

func removeTimes(object map[string]any) {
	for key, value := range object {
		if inner, ok := value.(map[string]any); ok {
			removeTimes(inner)
		} else if key == "time" || strings.HasSuffix(key, "seconds") || strings.HasSuffix(key, "_per_second") {
			delete(object, key)
		}
	}
}
