package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dojo.example/internal/slow"
)

// The files of a run are the same even if its NATS server stops answering for a while, or if the
// server, the trainer and the worker are killed and restarted.
func TestOutage(t *testing.T) {
	slow.Test(t, "stops and kills a NATS server while a run trains")
	dir := t.TempDir()
	const kills = 10 // with ten kills, chaosTraining makes a run of ten generations
	plain, folder := filepath.Join(dir, "plain", "run"), filepath.Join(dir, "run")
	alone := &child{t: t, name: "alone", dir: dir, args: chaosTraining(plain, kills)}
	alone.start()
	address := freeAddress(t)
	url := "nats://" + address
	server := &child{t: t, name: "server", dir: dir, role: "nats", args: []string{address}}
	trainer := &child{t: t, name: "trainer", dir: dir, args: append(chaosTraining(folder, kills), "--nats", url)}
	worker := &child{t: t, name: "worker", dir: dir, args: []string{"worker", "--join", url, "--workers", "1"}}
	for _, p := range []*child{server, trainer, worker} {
		p.start()
	}
	trainer.await("done=0 of=10")

	_ = server.cmd.Process.Signal(syscall.SIGSTOP)
	trainer.await("done=3 of=10") // the trainer plays these generations without a worker
	_ = server.cmd.Process.Signal(syscall.SIGCONT)

	server.kill()
	worker.kill()
	trainer.kill()
	before := trainer.said(serverSilent)
	trainer.start()
	worker.start()
	trainer.awaitMore(serverSilent, before)
	server.start()
	if <-trainer.ended; trainer.err != nil {
		t.Fatalf("the trainer: %v\n%s", trainer.err, trainer.tail())
	}
	if <-alone.ended; alone.err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", alone.err, alone.tail())
	}
	compareRuns(t, plain, folder)
}

// serverSilent is the message of a trainer whose server does not answer.
const serverSilent = "the NATS server does not answer"

// said returns how often the program has printed words.
func (p *child) said(words string) int {
	p.t.Helper()
	text, err := os.ReadFile(p.log())
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.Count(string(text), words)
}

// await waits until the program has printed words.
func (p *child) await(words string) { p.t.Helper(); p.awaitMore(words, 0) }

// awaitMore waits until the program has printed words more than the given number of times.
func (p *child) awaitMore(words string, times int) {
	p.t.Helper()
	for p.said(words) <= times {
		select {
		case <-p.ended:
			p.t.Fatalf("%s ended before it said %q: %v\n%s", p.name, words, p.err, p.tail())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
