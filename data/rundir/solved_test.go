package rundir_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"dojo.example/data/rundir"
)

// A new line replaces lines about the same model, positions and budget. Other lines remain,
// whichever process wrote them. If a line of the file is damaged, the error names that line, and
// the file does not change.
func TestAddSolved(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	line := func(model string, simulations int, share float64) string {
		return fmt.Sprintf(`{"model":%q,"simulations":%d,"solved":"a","share":%v}`, model, simulations, share)
	}
	add := func(s string) error { return f.AddSolved(t.Context(), []byte(s)) }
	read := func() string {
		text, err := os.ReadFile(f.Solved())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	timed := `{"model":"000001","time_ms":30,"solved":"a","share":0.5}`
	// The file looks as if somebody had written it by hand, without a line feed at the end.
	if err := os.WriteFile(f.Solved(), []byte(line("000000", 64, 0.1)+"\n"+timed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{line("000001", 64, 0.2), line("000000", 64, 0.3), line("000000", 8, 0.4), line("000001", 64, 0.2) + "\n"} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Join([]string{timed, line("000000", 64, 0.3), line("000000", 8, 0.4), line("000001", 64, 0.2), ""}, "\n")
	if got := read(); got != want {
		t.Errorf("the file is\n%swant\n%s", got, want)
	}
	damaged := want + "nonsense\n"
	if err := os.WriteFile(f.Solved(), []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := add(timed); err == nil || !strings.Contains(err.Error(), "solved.jsonl: line 5: ") || read() != damaged {
		t.Errorf("a damaged line: %v, and the file is\n%s", err, read())
	}
}

// When many goroutines add lines at the same time, no line is lost.
func TestAddSolvedTogether(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	var wg sync.WaitGroup
	var want []string
	for i := range 12 {
		line := fmt.Sprintf(`{"model":%q,"solved":"a"}`, rundir.ModelName(i))
		want = append(want, line)
		wg.Go(func() {
			if err := f.AddSolved(t.Context(), []byte(line)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	text, err := os.ReadFile(f.Solved())
	got := strings.Fields(string(text))
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the file is %q, %v", text, err)
	}
}
