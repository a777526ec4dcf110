package rundir_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// committed returns a run with the records of the given number of generations.
func committed(t *testing.T, generations int) rundir.Folder {
	t.Helper()
	f := rundir.Folder(t.TempDir())
	lock, err := f.LockStages()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var lines strings.Builder
	for g := range generations {
		record, err := f.Commit(g, fmt.Appendf(nil, `{"generation":%d}`, g))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", record)
	}
	if err := os.WriteFile(f.Metrics(), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRecords(t *testing.T) {
	f := committed(t, 12)
	all, err := f.Records()
	if err != nil || len(all) != 12 || !strings.HasSuffix(string(all[11]), `","generation":11}`) {
		t.Errorf("%d records, %v; want 12", len(all), err)
	}
}

// If a record is missing, the error names it, whichever record it is.
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

// If any bit of any record flips, the error names the record. A line feed added at the end is
// accepted.
func TestChangedRecordIsNamed(t *testing.T) {
	f := committed(t, 3)
	for g := range 3 {
		whole, err := os.ReadFile(f.Record(g))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 * len(whole) {
			changed := bytes.Clone(whole)
			changed[i/8] ^= 1 << (i % 8)
			write(t, f.Record(g), changed)
			if _, err := f.Records(); err == nil || !strings.Contains(err.Error(), f.Record(g)+" is damaged: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("record %d is read as %q: %v", g, changed, err)
			}
		}
		write(t, f.Record(g), append(whole, '\n'))
		if _, err := f.Records(); err != nil {
			t.Error(err)
		}
	}
}

// If a record is replaced by another one, or lacks its seal, the error names the record.
func TestChainOfRecords(t *testing.T) {
	f, other := committed(t, 3), rundir.Folder(t.TempDir())
	if err := os.Mkdir(other.Path("generations"), 0o755); err != nil {
		t.Fatal(err)
	}
	for g := range 3 {
		if _, err := other.Commit(g, fmt.Appendf(nil, `{"generation":%d,"best":"000000"}`, g)); err != nil {
			t.Fatal(err)
		}
	}
	foreign, err := os.ReadFile(other.Record(1))
	if err != nil {
		t.Fatal(err)
	}
	for text, says := range map[string]string{string(foreign): "its seal does not match", `{"generation":1}`: "it has no seal"} {
		write(t, f.Record(1), []byte(text))
		if _, err := f.Records(); err == nil || !strings.Contains(err.Error(), f.Record(1)+" is damaged: "+says) {
			t.Errorf("with the record %s: %v", text, err)
		}
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
