package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/internal/golden"
	"dojo.example/internal/logs"
	"dojo.example/train"
)

// trainedWith trains a small run with more flags and returns its stderr.
func trainedWith(t *testing.T, flags ...string) (folder, stderr string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", append(append([]string{"train", "tictactoe", "--run", dir}, small...), flags...)...)
	if r.status != exitDone || r.stdout != "" {
		t.Fatalf("train %q: %+v", flags, r)
	}
	return dir, r.stderr
}

// records parses a log in JSON. It fails the test if a line is no record.
func records(t *testing.T, log string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil || r["time"] == nil || r["level"] == nil || r["msg"] == nil {
			t.Fatalf("%q is no record in JSON: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

// messages returns the records with a message.
func messages(all []map[string]any, message string) (some []map[string]any) {
	for _, r := range all {
		if r["msg"] == message {
			some = append(some, r)
		}
	}
	return some
}

// If other machines can connect to a training run, the screen shows the table and the warnings of
// the log. The log with times is in a file in the run's folder.
func TestScreen(t *testing.T) {
	dir, said := trainedWith(t, "--listen", "0.0.0.0:0", "--insecure", "--log-format", "screen")
	if !strings.HasPrefix(said, "  warning: connections are not encrypted: ") {
		t.Errorf("stderr begins with %.200q, want the warning", said)
	}
	if strings.Contains(said, "level=") || !strings.Contains(said, "\n    2/2 ") {
		t.Errorf("stderr has no table, or lines of a log in it:\n%s", said)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cluster", "log.txt"))
	if err != nil || !strings.Contains(string(text), `level=WARN msg="connections are not encrypted`) {
		t.Errorf("the log is %q, %v", text, err)
	}
}

// If stderr is no terminal, it is a log as text: one line for each generation, no table, no bars,
// and nothing is cut.
func TestLogAsText(t *testing.T) {
	dir, said := trainedWith(t, "--listen", "0.0.0.0:0", "--insecure")
	for line := range strings.Lines(said) {
		if !regexp.MustCompile(`^time=\S+ level=(INFO|WARN) msg=.+\n$`).MatchString(line) {
			t.Errorf("%q is no line of a log", line)
		}
	}
	if strings.ContainsAny(said, "\r…") {
		t.Errorf("the log has a line that was cut or redrawn:\n%s", said)
	}
	if n := strings.Count(said, `msg="generation committed"`); n != 2 {
		t.Errorf("the log has %d lines for 2 generations:\n%s", n, said)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "cluster", "log.txt")); err != nil || !strings.Contains(string(text), "level=WARN") {
		t.Errorf("the log in the run's folder is %q, %v", text, err)
	}
}

// As JSON, every line is an object, also those about workers and about an error, and the random
// token is there once. The log in the run's folder stays text.
func TestLogAsJSON(t *testing.T) {
	dir, said := trainedWith(t, "--listen", "0.0.0.0:0", "--insecure", "--serve=127.0.0.1:0", "--log-format", "json")
	all := records(t, said)
	for message, want := range map[string]int{
		"workers can join": 1, "workers need this token": 1, "serving the pages": 1, "run opened": 1, "generation committed": 2, "the run is complete": 1,
	} {
		if got := messages(all, message); len(got) != want {
			t.Errorf("%d records %q, want %d, in\n%s", len(got), message, want, said)
		}
	}
	if t.Failed() {
		return
	}
	if token, _ := messages(all, "workers need this token")[0]["token"].(string); len(token) < 20 || strings.Count(said, token) != 1 {
		t.Errorf("the token %q is in the log %d times", token, strings.Count(said, token))
	}
	done, err := train.ReadMetrics(rundir.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range messages(all, "generation committed") {
		gate, _ := r["gate"].(map[string]any)
		if m := done[i]; r["generation"] != float64(i) || r["of"] != 2.0 || r["promoted"] != m.Gate.Promoted || r["length"] != rounded(m.GameLength) || gate["won"] != float64(m.Gate.Wins) {
			t.Errorf("the record of generation %d is %v, and its figures are %+v", i, r, m)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "cluster", "log.txt")); err != nil || !strings.HasPrefix(string(text), "time=") {
		t.Errorf("the log in the run's folder is %q, %v", text, err)
	}

	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"train", "--run", dir, "--set", "seed=9"}, exitFailed, "--set seed=9"},
		{[]string{"train", "--run", dir, "--workers", "-1"}, exitUsage, "--workers"},
		{[]string{"worker", "--join", "nowhere"}, exitUsage, "--join"},
		{[]string{"serve", filepath.Join(dir, "none")}, exitFailed, "no run here"},
	} {
		r := dojo(t, "", append(c.args[:1:1], append([]string{"--log-format", "json"}, c.args[1:]...)...)...)
		all := records(t, r.stderr)
		if text, _ := all[len(all)-1]["error"].(string); r.status != c.status || len(all) != 1 || all[0]["level"] != "ERROR" || all[0]["msg"] != "command failed" || !strings.Contains(text, c.says) {
			t.Errorf("%q: status %d, %s; want one record of an error that says %q", c.args, r.status, r.stderr, c.says)
		}
	}
}

// --log-level leaves out records below a level, also those of the hub. It does not change the log
// in the run's folder.
func TestLogLevel(t *testing.T) {
	for _, c := range []struct{ level, most, least string }{{"debug", "WARN", "DEBUG"}, {"warn", "WARN", "WARN"}, {"error", "", ""}} {
		dir, said := trainedWith(t, "--listen", "0.0.0.0:0", "--insecure", "--log-format", "json", "--log-level", c.level)
		seen := map[string]bool{}
		for _, r := range records(t, said) {
			level, _ := r["level"].(string)
			seen[level] = true
		}
		if seen["DEBUG"] != (c.least == "DEBUG") || seen["INFO"] != (c.least == "DEBUG") || seen["WARN"] != (c.most == "WARN") {
			t.Errorf("--log-level %s shows records of the levels %v:\n%s", c.level, seen, said)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "cluster", "log.txt")); err != nil || !strings.Contains(string(text), "level=WARN") || strings.Contains(string(text), "level=DEBUG") {
			t.Errorf("with --log-level %s, the log in the run's folder is %q, %v", c.level, text, err)
		}
	}
}

// TestLogLines compares the records that a run writes with a golden file, in both formats.
func TestLogLines(t *testing.T) {
	m := train.Metrics{Generation: 11, GamesPerSecond: 1234.56789, GameLength: 23.45678, FirstWins: 0.51239}
	m.Fit.PolicyLoss, m.Fit.ValueLoss, m.Fit.ValueError = 1.23456, 0.65432, 0.4321
	m.Gate = train.GateResult{Wins: 120, Losses: 60, Draws: 20, Promoted: true}
	other := train.Metrics{Generation: 12} // another process played its games
	var all strings.Builder
	for _, format := range []logs.Format{logs.Text, logs.JSON} {
		var stderr bytes.Buffer
		a := &app{stderr: &stderr, format: format}
		p := a.progress(40)
		p.Generation(m)
		p.Generation(other)
		p.Warn(errors.New("metrics.jsonl is locked; another program has it open"))
		a.say("words for people\nin two lines", "constant message", "command", "dojo train --run 'my run'")
		all.WriteString(stderr.String())
	}
	text := regexp.MustCompile(`(time"?[=:]"?|left_seconds"?[=:])[^ ",}\n]+`).ReplaceAllString(all.String(), "${1}TIME")
	golden.Compare(t, "testdata/log.txt", text)
	if left, ok := (&app{format: logs.Text, stderr: &bytes.Buffer{}}).progress(40).Left(0); ok {
		t.Errorf("before a generation has ended, %v are left", left)
	}
}

// A worker without a terminal or with one writes a log as text, unless a flag says something else.
func TestWorkerLog(t *testing.T) {
	join := []string{"worker", "--join", "127.0.0.1:1", "--wait", "10ms"}
	for _, c := range []struct {
		format string
		line   *regexp.Regexp
	}{
		{"", regexp.MustCompile(`^time=\S+ level=WARN msg="cannot reach the trainer`)},
		{"json", regexp.MustCompile(`^\{"time":"[^"]+","level":"WARN","msg":"cannot reach the trainer`)},
		{"screen", regexp.MustCompile(`^  warning: cannot reach the trainer`)},
	} {
		args := join
		if c.format != "" {
			args = append(join[:len(join):len(join)], "--log-format", c.format)
		}
		if r := dojo(t, "", args...); r.status != exitFailed || !c.line.MatchString(r.stderr) {
			t.Errorf("%q: status %d, %s", args, r.status, r.stderr)
		}
	}
}
