package cli

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The verb serve prints its address as the first line on stdout. When interrupted, it exits without
// an error.
func TestServe(t *testing.T) {
	dir := trained(t)
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var stderr strings.Builder
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, []string{"serve", filepath.Dir(dir), "--listen", "127.0.0.1:0"}, strings.NewReader(""), in, &stderr)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Get(strings.TrimSpace(line) + "api/runs")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	_ = r.Body.Close() // errors do not matter after reading
	if err != nil || !strings.Contains(string(text), `"run":"run"`) {
		t.Errorf("the server knows %.200s, %v", text, err)
	}
	stop()
	if status := <-ended; status != exitDone {
		t.Errorf("interrupted it ends with status %d: %s", status, stderr.String())
	}
}

// The verbs serve and report fail with a one-line error if a run does not exist or an address is
// wrong.
func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	empty := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"serve", filepath.Join(empty, "none")}, exitFailed, "no run here: there is no such folder"},
		{[]string{"serve", empty}, exitFailed, "no run here: run.yaml is missing"},
		{[]string{"serve", "--listen", "here"}, exitUsage, "HOST:PORT"},
		{[]string{"serve", "--listen", taken.Addr().String()}, exitFailed, "in use"},
		{[]string{"report", empty, "-o", filepath.Join(empty, "r.html")}, exitFailed, "no run here"},
		{[]string{"report", empty}, exitUsage, "output"},
		{[]string{"report", "-o", "r.html"}, exitUsage, "RUN is missing"},
	} {
		if r := dojo(t, "", c.args...); r.status != c.status || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%v: %+v", c.args, r)
		}
	}
}

// The verb report replaces an existing file only with --force, and never a file of the run.
func TestReport(t *testing.T) {
	dir := trained(t)
	out := filepath.Join(t.TempDir(), "report.html")
	done(t, "", "report", dir, "-o", out)
	text, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(text), "<!doctype html>") {
		t.Fatalf("the report is %.40q, %v", text, err)
	}
	if r := dojo(t, "", "report", dir, "-o", out); r.status != exitFailed || !strings.Contains(r.stderr, "--force") {
		t.Errorf("over an old report: %+v", r)
	}
	done(t, "", "report", dir, "-o", out, "--force")
	if r := dojo(t, "", "report", dir, "-o", filepath.Join(dir, "best")); r.status != exitFailed || !strings.Contains(r.stderr, "belongs to the run") {
		t.Errorf("over a file of the run: %+v", r)
	}
}

// A run's files are the same whether or not the training process also serves the dashboard.
func TestTrainServes(t *testing.T) {
	plain, beside := trained(t), filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", append([]string{"train", "tictactoe", "--run", beside, "--serve=127.0.0.1:0", "--base-path", "/dojo", "--serve-token-file", tokenFile(t, "secret")}, small...)...)
	if r.status != exitDone || !regexp.MustCompile(`msg="serving the pages" address=http://127.0.0.1:\d+/dojo/\n`).MatchString(r.stderr) || strings.Contains(r.stderr, "secret") {
		t.Fatalf("train --serve: %+v", r)
	}
	for _, name := range []string{"models/000001.safetensors", "samples/gen-000001/shard-000001.parquet"} {
		a, err := os.ReadFile(filepath.Join(plain, name))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(beside, name)); err != nil || string(a) != string(b) {
			t.Errorf("%s differs from that of a training alone: %v", name, err)
		}
	}
}
