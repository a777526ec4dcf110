package serve

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/internal/golden"
	"dojo.example/internal/health"
	"dojo.example/train"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// metricsOf returns the metrics of a server at the given time, as text.
func metricsOf(t *testing.T, c *collector, now time.Time) string {
	t.Helper()
	c.now = func() time.Time { return now }
	c.server.lookAgain()
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	health.Handler(r, func() error { return nil }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// valueOf returns the value of a metric, such as dojo_games_total{run="small"}. ok is false if the
// text does not have it.
func valueOf(text, metric string) (x float64, ok bool) {
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, metric+" "); found {
			x, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			return x, err == nil
		}
	}
	return 0, false
}

// measured matches the values that differ from one training of the same run to the next.
var measured = regexp.MustCompile(`(?m)^(dojo_(?:elo|[a-z]+_per_second|last_commit_timestamp_seconds|run_disk_bytes)\{.*\}) .*$`)

// The metrics of a complete run with workers are those in testdata, and follow the conventions of
// Prometheus.
func TestMetrics(t *testing.T) {
	f := smallRun(t)
	commit := lastTime(t, f)
	now := commit.Add(100 * time.Second)
	writeWorkers(t, f, rundir.Workers{
		Free: 3, Held: 2, Accepted: 40, Refused: 1,
		Workers: []rundir.Worker{{Name: "east", Seen: now}, {Name: "west", Seen: now.Add(-time.Second)}, {Name: "gone", Seen: commit}, {Name: "liar", Seen: now, Refused: "it lies"}},
	})
	text := metricsOf(t, newServer(t, f).Collector().(*collector), now)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the metrics do not follow the conventions: %v, %v", problems, err)
	}
	golden.Compare(t, "testdata/metrics.txt", measured.ReplaceAllString(text, "$1 MEASURED"))
	if x, ok := valueOf(text, `dojo_last_commit_timestamp_seconds{run="small"}`); !ok || x != float64(commit.UnixMilli())/1000 {
		t.Errorf("the last commit was at %v, not at %v", x, commit)
	}
}

// lastTime returns when the last generation of a small run was committed.
func lastTime(t *testing.T, f rundir.Folder) time.Time {
	t.Helper()
	done, err := train.ReadMetrics(f)
	if err != nil {
		t.Fatal(err)
	}
	return done[len(done)-1].Time
}

// writeWorkers writes the list of workers of a run.
func writeWorkers(t *testing.T, f rundir.Folder, w rundir.Workers) {
	t.Helper()
	path := f.Path(rundir.WorkersPath)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), rundir.WriteWorkers(path, w)); err != nil {
		t.Fatal(err)
	}
}

// While a generation is in progress, no counter falls: the games of a stage stay counted when the
// next stage begins and when the generation is committed.
func TestCountersRise(t *testing.T) {
	f := smallRun(t)
	record := takeBack(t, f, 1)
	s := newServer(t, f)
	var stage *train.Stage
	s.runs[0].live = func() *train.Stage { return stage }
	shards, err := filepath.Glob(f.Path("samples", "gen-000001", "shard-*"))
	if err != nil || len(shards) != 2 {
		t.Fatalf("shards %q, %v", shards, err)
	}
	content := map[string][]byte{}
	for _, path := range shards {
		if content[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	c := s.Collector().(*collector)
	for _, step := range []struct {
		name  string
		does  func()
		games float64
	}{
		{"nothing is played", func() {}, 16},
		{"five games are played", func() { stage = &train.Stage{Generation: 1, Name: "self-play", Done: 5, Total: 16} }, 21},
		{"the trainer starts again, and a shard is there", func() { stage.Done = 0; write(t, shards[0], content[shards[0]]) }, 24},
		{"all games are played", func() { stage.Done = 8; write(t, shards[1], content[shards[1]]) }, 32},
		{"it trains", func() { stage = &train.Stage{Generation: 1, Name: "train", Done: 1, Total: 9} }, 32},
		{"the generation is committed", func() { write(t, f.Record(1), record) }, 32},
	} {
		step.does()
		text := metricsOf(t, c, time.Now())
		if x, ok := valueOf(text, `dojo_games_total{run="small"}`); !ok || x != step.games {
			t.Errorf("%s: %v games, want %v", step.name, x, step.games)
		}
	}
}

// Before the first commit the time counts from the beginning of the run, and what is not known yet
// is left out. A run that cannot be read has one metric, and does not hide the others.
func TestMetricsOfYoungAndBrokenRuns(t *testing.T) {
	young, broken := smallRun(t), smallRun(t)
	takeBack(t, young, 0)
	begun := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(young.ConfigPath(), begun, begun); err != nil {
		t.Fatal(err)
	}
	write(t, broken.ConfigPath(), []byte("format: 1\n"))
	odd := rundir.Folder(string(broken) + "\xff")
	if err := os.Rename(string(broken), string(odd)); err != nil {
		t.Skipf("this system allows no such name: %v", err)
	}
	text := metricsOf(t, newServer(t, odd, young).Collector().(*collector), begun.Add(90*time.Second))
	for metric, want := range map[string]float64{
		`dojo_since_commit_seconds{run="small"}`:            90,
		`dojo_generations_total{run="small"}`:               0,
		`dojo_run_complete{run="small"}`:                    0,
		`dojo_run_readable{run="small"}`:                    1,
		"dojo_run_readable{run=\"small\uFFFD\"}":            0,
		`dojo_workers{run="small",state="present"}`:         0,
		`dojo_results_total{outcome="refused",run="small"}`: 0,
	} {
		if x, ok := valueOf(text, metric); !ok || x != want {
			t.Errorf("%s is %v (%v), want %v", metric, x, ok, want)
		}
	}
	for _, metric := range []string{`dojo_policy_loss{run="small"}`, `dojo_elo{run="small"}`, "dojo_run_complete{run=\"small\uFFFD\"}"} {
		if x, ok := valueOf(text, metric); ok {
			t.Errorf("%s is not known, but given as %v", metric, x)
		}
	}
}

// If the trainer has ended, nobody works on its tasks and no worker is present.
func TestMetricsAfterTrainer(t *testing.T) {
	f := smallRun(t)
	now := time.Now()
	writeWorkers(t, f, rundir.Workers{Over: true, Free: 3, Held: 2, Workers: []rundir.Worker{{Name: "east", Seen: now}}})
	text := metricsOf(t, newServer(t, f).Collector().(*collector), now)
	for metric, want := range map[string]float64{
		`dojo_tasks{run="small",state="free"}`:      0,
		`dojo_tasks{run="small",state="held"}`:      0,
		`dojo_workers{run="small",state="present"}`: 0,
		`dojo_workers{run="small",state="away"}`:    1,
	} {
		if x, ok := valueOf(text, metric); !ok || x != want {
			t.Errorf("%s is %v, want %v", metric, x, want)
		}
	}
}

// The size of a folder is measured again after a minute, not at each scrape.
func TestDiskSize(t *testing.T) {
	f := smallRun(t)
	c := newServer(t, f).Collector().(*collector)
	size := func(now time.Time) float64 {
		t.Helper()
		for { // the first measurement may take longer than a scrape waits
			if x, ok := valueOf(metricsOf(t, c, now), `dojo_run_disk_bytes{run="small"}`); ok {
				return x
			}
		}
	}
	now := time.Now()
	first := size(now)
	if want := float64(folderSize(string(f))); first != want {
		t.Errorf("the run has %v bytes, want %v", first, want)
	}
	write(t, f.Path("more"), bytes.Repeat([]byte("x"), 1000))
	if again := size(now.Add(diskInterval - time.Second)); again != first {
		t.Errorf("after less than a minute, the run has %v bytes instead of %v", again, first)
	}
	for size(now.Add(diskInterval)) != first+1000 { // ends when the measurement has ended
		time.Sleep(time.Millisecond)
	}
}

// The server answers the paths of monitoring before it checks the host name, because Prometheus
// uses any name. Without Options.Health there are no such paths.
func TestHealthPaths(t *testing.T) {
	s := newServer(t)
	for _, path := range health.Paths {
		if w := s.test(t, path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s without Health: status %d", path, w.Code)
		}
	}
	s.health = health.Handler(prometheus.NewRegistry(), func() error { return nil })
	for _, path := range health.Paths {
		if w := s.test(t, path, "", "Host", "trainer:7531"); w.Code != http.StatusOK {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	if w := s.test(t, "/metrics", "", "Host", "evil.example", "Accept-Language", "en"); w.Code != http.StatusForbidden {
		t.Errorf("a page of another site reads the metrics: status %d", w.Code)
	}
	if w := s.test(t, "/api/models", "", "Host", "trainer:7531"); w.Code != http.StatusForbidden {
		t.Errorf("the other paths accept any host name: status %d", w.Code)
	}
}

// Every stage that the trainer can name is in the metric of the stage.
func TestStageNames(t *testing.T) {
	field, _ := reflect.TypeFor[train.Stage]().FieldByName("Name")
	var want []string
	for _, name := range regexp.MustCompile(`'([^']+)'`).FindAllStringSubmatch(field.Tag.Get("ts"), -1) {
		want = append(want, name[1])
	}
	if !slices.Equal(stages, want) {
		t.Errorf("the metric has the stages %q, the trainer %q", stages, want)
	}
}
