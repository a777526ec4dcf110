package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fullDisk is a small disk, and functions that fill it and make room again. The test is skipped
// where none may be mounted.
func fullDisk(t *testing.T) (disk string, fill, empty func()) {
	t.Helper()
	c := &chaos{t: t, disk: mountDisk(t)}
	if c.disk == "" {
		t.Skip("no disk can be mounted")
	}
	return c.disk, c.fill, c.empty
}

// A sweep for which the disk is full, or that somebody stops, says in one line with which command
// it goes on, and that command completes it.
func TestSweepStopped(t *testing.T) {
	disk, fill, empty := fullDisk(t)
	file := filepath.Join(t.TempDir(), "two.yaml")
	if err := os.WriteFile(file, []byte(twoArms), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"sweep", file, "--workers", "1", "--out", filepath.Join(disk, "out")}
	again := "nothing but unfinished work is lost; go on with: " + command(args...) + "\n"
	if err := os.Mkdir(filepath.Join(disk, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	fill()
	r := dojo(t, "", args...)
	oneErrorLine(t, args, r)
	if !strings.HasSuffix(r.stderr, "no space left on device; make room: "+again) {
		t.Errorf("on a full disk: status %d, %q, want %q", r.status, r.stderr, again)
	}
	empty()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var stdout, stderr bytes.Buffer
	if status := execute(ctx, args, strings.NewReader(""), &stdout, &stderr); status != exitFailed || !strings.HasSuffix(stderr.String(), "dojo: interrupted; "+again) {
		t.Errorf("interrupted: status %d, %q, want %q", status, stderr.String(), again)
	}
	done(t, "", args...)
}

// A distillation for which the disk is full says in one line with which command it goes on from
// what was learnt, and that command completes it.
func TestDistilFull(t *testing.T) {
	disk, fill, empty := fullDisk(t)
	out := filepath.Join(disk, "student")
	args := []string{"distil", checkpoint(t, "tictactoe"), "-o", out, "--positions", "60000", "--games", "0"}
	fill()
	if err := os.Truncate(filepath.Join(disk, "filler"), 112<<20); err != nil { // so that little is left to fill
		t.Fatal(err)
	}
	filled := make(chan struct{})
	go func() {
		defer close(filled)
		for t.Context().Err() == nil {
			if _, err := os.Stat(out + ".partial"); err == nil {
				fill()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	r := dojo(t, "", args...)
	<-filled
	oneErrorLine(t, args, r)
	if want := "no space left on device; make room: the same command goes on from " + out + ".partial: " + command(args...) + "\n"; !strings.HasSuffix(r.stderr, want) {
		t.Errorf("on a full disk: status %d, %q, want %q", r.status, r.stderr, want)
	}
	empty()
	done(t, "", args...)
}
