package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// promtool runs Prometheus's tool, which must succeed.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	cmd := exec.Command(installed(t, "promtool"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 && args[0] == "check" && args[1] == "metrics" {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// Prometheus accepts the files in deploy/, and the alerts fire when they should, and only then.
func TestAlertRules(t *testing.T) {
	promtool(t, "", "check", "config", "../deploy/prometheus.yml")
	promtool(t, "", "test", "rules", "testdata/alerts_test.yml")
}

// fetch returns the status and the content of an address. The status is 0 if nobody answers.
func fetch(address string) (status int, content string) {
	client := http.Client{Timeout: 5 * time.Second}
	r, err := client.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err.Error()
	}
	return r.StatusCode, string(text)
}

// until waits until ok returns "". It fails the test if that takes more than a minute, and shows
// what ok returned last.
func until(t *testing.T, what string, ok func() (why string)) {
	t.Helper()
	why := ""
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if why = ok(); why == "" {
			return
		}
	}
	t.Fatalf("%s: %s", what, why)
}

// answers waits until a page has the given status and contains the given text.
func answers(t *testing.T, address string, status int, want string) {
	t.Helper()
	until(t, address, func() string {
		if got, text := fetch(address); got != status || !strings.Contains(text, want) {
			return fmt.Sprintf("status %d, %q; want %d, %q", got, text, status, want)
		}
		return ""
	})
}

// A process is alive from its start, and ready as long as it can work: a trainer needs its NATS
// server, and a worker needs a trainer.
func TestProbes(t *testing.T) {
	dir := t.TempDir()
	nats, atTrainer, atWorker := freeAddress(t), freeAddress(t), freeAddress(t)
	server := &child{t: t, name: "server", dir: dir, role: "nats", args: []string{nats}}
	trainer := &child{t: t, name: "trainer", dir: dir, args: append(endless(filepath.Join(dir, "run")), "--nats", "nats://"+nats, "--metrics", atTrainer)}
	worker := &child{t: t, name: "worker", dir: dir, args: []string{"worker", "--join", "nats://" + nats, "--workers", "1", "--metrics", atWorker}}
	trainer.start()
	worker.start()
	for address, why := range map[string]string{atTrainer: "not ready: the run is not open yet", atWorker: "not ready: "} {
		answers(t, "http://"+address+"/readyz", 503, why)
		answers(t, "http://"+address+"/healthz", 200, "alive")
	}
	server.start()
	for _, address := range []string{atTrainer, atWorker} {
		answers(t, "http://"+address+"/readyz", 200, "ready")
	}
	server.kill()
	answers(t, "http://"+atTrainer+"/readyz", 503, "not ready: the connection to the NATS server at nats://"+nats+" is lost")
	answers(t, "http://"+atWorker+"/readyz", 503, "not ready: ")
	answers(t, "http://"+atWorker+"/healthz", 200, "alive")
	server.start()
	for _, address := range []string{atTrainer, atWorker} {
		answers(t, "http://"+address+"/readyz", 200, "ready")
	}
}

// endless returns the command line of a training run of short generations that does not end during
// a test.
func endless(folder string) []string {
	return append(chaosTraining(folder, 1), "--generations", "100000")
}

// Prometheus scrapes a trainer, a worker and dojo serve with the configuration in deploy/. Each
// expression of the dashboard works. The alert for missing commits fires when the trainer is
// frozen, and ends when the trainer goes on.
func TestPrometheus(t *testing.T) {
	path := installed(t, "prometheus")
	dir := t.TempDir()
	hub, atTrainer, atWorker, atPages, at := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	run := filepath.Join(dir, "run")
	trainer := &child{t: t, name: "trainer", dir: dir, args: append(endless(run), "--listen", hub, "--metrics", atTrainer)}
	trainer.start()
	answers(t, "http://"+atTrainer+"/metrics", 200, "\ndojo_elo{")
	for name, args := range map[string][]string{
		"worker": {"worker", "--join", hub, "--workers", "1", "--metrics", atWorker},
		"serve":  {"serve", run, "--listen", atPages},
	} {
		(&child{t: t, name: name, dir: dir, args: args}).start()
	}
	for _, address := range []string{atTrainer, atWorker, atPages} {
		answers(t, "http://"+address+"/readyz", 200, "ready")
		_, text := fetch("http://" + address + "/metrics")
		promtool(t, text, "check", "metrics")
	}
	configurePrometheus(t, dir, atTrainer, atWorker)
	server := &child{t: t, name: "prometheus", dir: dir, path: path, args: []string{
		"--config.file", filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", at, "--log.level=warn",
	}}
	server.start()

	for _, expression := range dashboard(t) {
		until(t, expression, func() string { return noSeries(at, expression) })
	}
	alert := `ALERTS{alertname="DojoNoCommit",alertstate="firing",run="run"}`
	until(t, "the alert is silent", func() string { return noSeries(at, "absent("+alert+")") })
	if err := trainer.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "the alert fires", func() string { return noSeries(at, alert) })
	if up := noSeries(at, `up{job="dojo-trainer"} == 0`); up != "" {
		t.Errorf("the frozen trainer answers: %s", up)
	}
	if err := trainer.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "the alert ends", func() string { return noSeries(at, "absent("+alert+")") })
}

// configurePrometheus writes the configuration and the alerts of deploy/ to a folder, with the
// addresses of this test and short times.
func configurePrometheus(t *testing.T, dir, trainer, worker string) {
	t.Helper()
	for name, changes := range map[string][]string{
		"prometheus.yml": {
			"  scrape_interval: 15s", "  scrape_interval: 200ms\n  scrape_timeout: 200ms\n  evaluation_interval: 200ms",
			"trainer:9464", trainer,
			"dns_sd_configs: [{names: [worker], type: A, port: 9464}]", "static_configs: [{targets: [\"" + worker + "\"]}]",
		},
		"alerts.yml": {"> 600", "> 3"},
	} {
		content, err := os.ReadFile(filepath.Join("..", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for i := 0; i < len(changes); i += 2 {
			if !strings.Contains(text, changes[i]) {
				t.Fatalf("deploy/%s has no %q", name, changes[i])
			}
			text = strings.Replace(text, changes[i], changes[i+1], 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// dashboard returns the expressions of deploy/grafana.json, with values for Grafana's variables.
func dashboard(t *testing.T) (all []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "deploy", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %q has no expression", p.Title)
		}
		for _, x := range p.Targets {
			all = append(all, strings.NewReplacer("$run", ".+", "$__rate_interval", "30s").Replace(x.Expr))
		}
	}
	if left := regexp.MustCompile(`\$\w+`).FindString(strings.Join(all, " ")); left != "" {
		t.Errorf("the dashboard has an unknown variable %s", left)
	}
	return all
}

// noSeries returns "" if the expression has a value in Prometheus, or the reason why it has none.
func noSeries(address, expression string) string {
	_, text := fetch("http://" + address + "/api/v1/query?" + url.Values{"query": {expression}}.Encode())
	var a struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return text
	}
	if a.Status != "success" || len(a.Data.Result) == 0 {
		return fmt.Sprintf("%s %s, %d series", a.Status, a.Error, len(a.Data.Result))
	}
	return ""
}
