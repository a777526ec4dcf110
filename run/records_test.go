package run_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"dojo/run"
)

// committed is a run with the records of so many generations.
func committed(t *testing.T, generations int) run.Folder {
	t.Helper()
	f := run.Folder(t.TempDir())
	lock, err := f.LockStages()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var lines strings.Builder
	for g := range generations {
		record := fmt.Sprintf(`{"generation":%d}`, g)
		if err := f.Commit(g, []byte(record)); err != nil {
			t.Fatal(err)
		}
		lines.WriteString(record + "\n")
	}
	if err := os.WriteFile(f.Metrics(), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRecords(t *testing.T) {
	f := committed(t, 12)
	all, err := f.Records()
	if err != nil || len(all) != 12 || string(all[11]) != `{"generation":11}` {
		t.Errorf("%d records, %v; want 12", len(all), err)
	}
}

// A record that is missing is named, wherever it was.
func TestMissingRecordIsNamed(t *testing.T) {
	for _, g := range []int{0, 5, 11} {
		f := committed(t, 12)
		if err := os.Remove(f.Record(g)); err != nil {
			t.Fatal(err)
		}
		_, err := f.Records()
		if err == nil || !strings.Contains(err.Error(), f.Record(g)+" is missing") {
			t.Errorf("without the record of generation %d of 12: %v", g, err)
		}
	}
	f := committed(t, 12)
	for _, path := range []string{f.Record(11), f.Metrics()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := f.Records(); err != nil || len(all) != 11 {
		t.Errorf("a run set back by one generation has %d records, %v; want 11", len(all), err)
	}
}
