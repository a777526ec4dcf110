package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fullDisk mounts a small disk, or skips the test if that is not allowed. It returns the disk's
// folder, a function that fills the disk, and one that frees the space again.
func fullDisk(t *testing.T) (disk string, fill, empty func()) {
	t.Helper()
	c := &chaos{t: t, disk: mountDisk(t)}
	if c.disk == "" {
		t.Skip("no disk can be mounted")
	}
	return c.disk, c.fill, c.empty
}

// If a sweep is interrupted or its disk is full, it prints one line with the command that continues
// it. That command completes the sweep.
func TestSweepStopped(t *testing.T) {
	disk, fill, empty := fullDisk(t)
	file := filepath.Join(t.TempDir(), "two.yaml")
	if err := os.WriteFile(file, []byte(twoArms), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"sweep", file, "--workers", "1", "--out", filepath.Join(disk, "out")}
	again := "only unfinished work is lost; continue with: " + command(args...) + "\n"
	planTwoArms(t, filepath.Join(disk, "out"))
	fill()
	r := dojo(t, "", args...)
	oneErrorLine(t, args, r)
	if !strings.HasSuffix(r.stderr, "no space left on device; free some disk space; "+again) {
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

// If a distillation is interrupted or its disk is full, it prints one line with the command that
// continues it from the saved state.
func TestDistilFull(t *testing.T) {
	disk, fill, _ := fullDisk(t)
	out := filepath.Join(disk, "student")
	args := []string{"distil", checkpoint(t, "tictactoe"), "-o", out, "--positions", "1000000000"}
	again := "the same command continues from " + out + ".partial: " + command(args...) + "\n"
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(out + ".partial"); err == nil {
				interrupt()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	if status := execute(ctx, args, strings.NewReader(""), &stdout, &stderr); status != exitFailed || stderr.String() != "dojo: interrupted; "+again {
		t.Fatalf("interrupted: status %d, %q, want %q", status, stderr.String(), again)
	}
	fill()
	r := dojo(t, "", args...)
	oneErrorLine(t, args, r)
	if !strings.HasSuffix(r.stderr, "no space left on device; free some disk space; "+again) {
		t.Errorf("on a full disk: status %d, %q, want %q", r.status, r.stderr, again)
	}
}
