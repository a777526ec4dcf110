package arena

import (
	"os"
	"path/filepath"
	"testing"
)

// Where an action holds, all that are not lost keep the value.
func TestProblemsThatHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lost.jsonl")
	const pos = `{"pos":"xx.oo....","moves":{`
	text := pos + `"c3":"W1","c2":"H","a1":"L2","b1":"L2","c1":"D"}}
` + pos + `"c3":"H","c2":"H","a1":"H","b1":"H","c1":"D"}}
` + pos + `"c3":"H","c2":"H","a1":"L2","b1":"?","c1":"D"}}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	problems, skipped, err := ReadProblems(board, path)
	if err != nil || skipped != 2 || len(problems) != 1 {
		t.Fatalf("%d problems, %d skipped, %v; want 1 and 2", len(problems), skipped, err)
	}
	p := problems[0]
	for _, a := range p.Position.Legal(nil) {
		name := p.Position.ActionString(a)
		if want := name != "a1" && name != "b1"; p.Keep[a] != want {
			t.Errorf("%s keeps the value: %v", name, p.Keep[a])
		}
	}
	if p.Value != 'H' || p.Plies != 0 {
		t.Errorf("the position is %c in %d plies", p.Value, p.Plies)
	}
	if got := Total(problems, []bool{false}); got.Wins != 0 || got.Positions != 1 || got.Thrown != 0 {
		t.Errorf("it counts as %+v", got)
	}
}
