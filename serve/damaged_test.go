package serve

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"dojo.example/data"
)

// If a run cannot be read, the server lists it after the other runs, with the reason. The other
// runs are not affected.
func TestDamagedRuns(t *testing.T) {
	good, unreadable, boundless := smallRun(t), smallRun(t), smallRun(t)
	if err := os.WriteFile(unreadable.ConfigPath(), []byte("format: [3"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(boundless.Record(1))
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(text), `"elo":`)
	_, after, _ = strings.Cut(after, ",")
	_, before, _ = strings.Cut(before, `,`) // the record without its seal (hash)
	if _, err := boundless.Commit(1, []byte("{"+before+`"elo":-1e308,`+after)); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, unreadable, good, boundless)
	all := get[struct{ Runs []Snapshot }](t, s, "/api/runs", "").Runs
	if len(all) != 3 {
		t.Fatalf("%d runs are listed, want 3", len(all))
	}
	for i, want := range []struct {
		says        string
		generations int
	}{{"", 2}, {"an Elo of -1e+308", 1}, {unreadable.ConfigPath(), 0}} {
		if got := all[i]; !strings.Contains(got.Error, want.says) || (got.Error == "") != (want.says == "") || len(got.Generations) != want.generations {
			t.Errorf("run %d has the error %q and %d generations, want %q and %d", i, got.Error, len(got.Generations), want.says, want.generations)
		}
	}
	if got := string(all[2].Config); got != "{}" {
		t.Errorf("the configuration of a damaged run is %s", got)
	}
	if models := get[[]any](t, s, "/api/models", ""); len(models) == 0 {
		t.Error("no models are listed beside a damaged run")
	}
	if list := s.test(t, "/api/runs/"+all[2].Run+"/games", ""); strings.Count(list.Body.String(), "\n") > 1 {
		t.Errorf("the games of a damaged run are %s", list.Body)
	}
}

// The server refuses a file with more games than the run can have. Otherwise a small compressed
// file that repeats one row or line could fill the machine's memory.
func TestFilesTooLarge(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	p, rows, err := data.ReadShard(f.Shard(1, 1), data.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows[0].Position = strings.Repeat("x", 10_000)
	if err := data.WriteShard(f.Shard(1, 1), p, rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Gate(1), []byte(strings.Repeat("{}\n", 5)), 0o644); err != nil {
		t.Fatal(err)
	}
	commitAgain(t, f, 1)
	for path, cause := range map[string]string{
		"/api/runs/small/games?generation=1":             "a text has 10000 bytes, but in this shard it may have at most 9",
		"/api/runs/small/games?generation=1&source=gate": "has more than 4 games, the size of a gate of this run",
	} {
		if r := s.test(t, path, ""); r.Code != http.StatusInternalServerError || !strings.Contains(r.Body.String(), cause) {
			t.Errorf("%s: %d %s, want %s", path, r.Code, r.Body, cause)
		}
	}
}
