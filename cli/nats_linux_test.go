package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/internal/certificate/certtest"
)

// replace replaces words of a text, each of which must occur once.
func replace(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q occurs %d times", pairs[i], strings.Count(text, pairs[i]))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// A run with a worker works with a NATS server that uses deploy/nats.conf: with its permissions, its
// default limits and its logins.
func TestNATSConfiguration(t *testing.T) {
	program := installed(t, "nats-server")
	dir := t.TempDir()
	const shipped = "../deploy/nats.conf"
	if out, err := exec.Command(program, "-t", "-c", shipped).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	pair := certtest.Make(t, dir, nil, nil)
	address := freeAddress(t)
	config := replace(t, string(text), `listen: "127.0.0.1:4222"`, fmt.Sprintf("listen: %q", address), "# tls {", "tls {",
		"/etc/nats/cert.pem", pair.Certificate, "/etc/nats/key.pem", pair.Key,
		"$2a$11$REPLACE.THIS.BY.THE.HASH.OF.THE.TRAINERS.PASSWORD...", "$2a$04$EVYY.gr3etxjtquH4tCOvObC1zoLV3QPavWeucFNiAfKCpDiWO.xS", // trainers
		"$2a$11$REPLACE.THIS.BY.THE.HASH.OF.THE.WORKERS.PASSWORD....", "$2a$04$HukHxV0r513kPMqdWB0pWeWnOW1le6S4WRELv1BQRzRIIdhBeEmmi") // workers
	file, log := filepath.Join(dir, "nats.conf"), filepath.Join(dir, "nats.log")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, "-c", file, "-l", log)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill() // fails harmlessly if the program has ended
		_ = server.Wait()         // says that it was killed
	}()

	plain, folder := filepath.Join(dir, "plain", "run"), filepath.Join(dir, "run")
	const generations = 8
	url := "tls://" + address
	join := []string{"--tls-ca", pair.Certificate, "--token"}
	worker := &child{t: t, name: "worker", dir: dir, args: append([]string{"worker", "--workers", "1", "--join", url}, append(join, "worker:workers")...)}
	trainer := &child{t: t, name: "trainer", dir: dir, args: append(chaosTraining(folder, generations), append([]string{"--nats", url, "--verify", "50%"}, append(join, "trainer:trainers")...)...)}
	trainer.start()
	worker.start()
	trainer.await("worker joined")
	if <-trainer.ended; trainer.err != nil {
		t.Fatalf("the trainer: %v\n%s", trainer.err, trainer.tail())
	}
	alone := &child{t: t, name: "alone", dir: dir, args: chaosTraining(plain, generations)}
	alone.start()
	if <-alone.ended; alone.err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", alone.err, alone.tail())
	}
	compareRuns(t, plain, folder)
	if ledger := contents(t, filepath.Join(folder, "ledger.jsonl")); !strings.Contains(ledger, `"worker"`) {
		t.Errorf("the worker sent no result; the ledger has %q", ledger)
	}
	for _, path := range []string{trainer.log(), worker.log(), log} {
		if text := contents(t, path); strings.Contains(text, "forbids") || strings.Contains(text, "iolation") || strings.Contains(text, "authentication error") {
			t.Errorf("%s has\n%s", path, text)
		}
	}
	worker.kill()

	stranger := &child{t: t, name: "stranger", dir: dir, args: append([]string{"worker", "--join", url}, append(join, "worker:secret")...)}
	stranger.start()
	select {
	case <-stranger.ended:
	case <-time.After(time.Minute):
		t.Fatalf("a worker with a wrong password stays\n%s", stranger.tail())
	}
	if text := stranger.tail(); !strings.Contains(text, "does not accept the worker's login") || strings.Contains(text, "secret") {
		t.Errorf("a worker with a wrong password says %s", text)
	}
}
