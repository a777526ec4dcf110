package fourinrow

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/internal/slow"
)

// A solved position of Pascal Pons's test sets; see testdata/README.md.
type solved struct {
	position connectfour.State
	score    int
	keep     string // columns that keep the result
}

// readSet reads the first positions of a set.
func readSet(t testing.TB, name string, positions int) (list []solved) {
	read := func(ending string) []string {
		text, err := os.ReadFile(filepath.Join("testdata", name+ending))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(text), "\n")
	}
	scores, keeps := read(".txt"), read(".keep")
	for i := range positions {
		columns, score, _ := strings.Cut(scores[i], " ")
		keep := strings.Fields(keeps[i])
		p, err := connectfour.ReadColumns(columns)
		if err != nil || len(keep) != 4 || keep[0] != columns {
			t.Fatalf("%s line %d: %v, %q", name, i+1, err, keep)
		}
		n, err := strconv.Atoi(score)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, solved{p, n, keep[2]})
	}
	return list
}

// check compares the solver's results, and with exact also its scores, with a set.
func check(t *testing.T, s *Solver, name string, positions int, exact bool) {
	for i, p := range readSet(t, name, positions) {
		want := p.score
		if !exact {
			want = min(max(want, -1), 1)
		}
		if got, ok := s.score(p.position, exact); got != want || !ok {
			t.Errorf("%s line %d: score %d (%v), want %d", name, i+1, got, ok, want)
		}
		keep, ok := s.Keep(p.position, outcome(p.position.ToMove(), p.score))
		letters := ""
		for _, a := range keep {
			letters += p.position.ActionString(a)
		}
		if letters != p.keep || !ok {
			t.Errorf("%s line %d: %q (%v) keep the result, want %q", name, i+1, letters, ok, p.keep)
		}
	}
}

// The scores and the actions that keep the result agree with the sets.
func TestSets(t *testing.T) {
	s := New(tableSize)
	check(t, s, "L3_R1", 500, true)
	check(t, s, "L2_R1", 500, true)
	check(t, s, "L2_R2", 300, false)
	check(t, s, "L2_R2", 60, true)
}

// A whole set, and positions from the beginning of the game.
func TestBeginning(t *testing.T) {
	slow.Test(t, "solves positions near the beginning of the game")
	s := New(256 << 20)
	check(t, s, "L2_R2", 250, true)
	check(t, s, "L1_R1", 15, true)
	check(t, s, "L1_R2", 8, false)
	check(t, s, "L1_R3", 1, false)
}

// Line has the value of each action. The values agree with Value and Keep.
func TestLine(t *testing.T) {
	s := New(tableSize)
	for i, p := range readSet(t, "L2_R1", 50) {
		for _, plies := range []bool{true, false} {
			line, ok := s.Line(p.position, plies)
			if !ok {
				t.Fatal("Line was stopped")
			}
			best, keep := "", ""
			for _, a := range p.position.Legal(nil) {
				name := p.position.ActionString(a)
				if line.Moves[name] == line.Value {
					best += name
				}
				if line.Moves[name][0] == line.Value[0] {
					keep += name
				}
			}
			if keep != p.keep || best == "" || line.Position != p.position.String() {
				t.Errorf("line %d: %v, want %q to keep the result", i+1, line, p.keep)
			}
		}
	}
}

// A stopped Solver says so soon, and answers the next question correctly.
func TestStop(t *testing.T) {
	s := New(tableSize)
	p := readSet(t, "L2_R2", 1)[0]
	calls := 0
	s.Stop = func() bool { calls++; return true }
	if v, ok := s.Value(connectfour.State{}, false); ok {
		t.Errorf("a stopped Solver returns %v", v)
	}
	if keep, ok := s.Keep(connectfour.State{}, engine.WonBy(engine.First)); ok {
		t.Errorf("a stopped Solver returns %v", keep)
	}
	if line, ok := s.Line(connectfour.State{}, true); ok {
		t.Errorf("a stopped Solver returns %v", line)
	}
	if calls == 0 || s.nodes > 4*stopEvery {
		t.Errorf("the Solver called Stop %d times and searched %d positions", calls, s.nodes)
	}
	s.Stop = nil
	if got, ok := s.score(p.position, false); got != min(max(p.score, -1), 1) || !ok {
		t.Errorf("after the stop: score %d (%v), want the sign of %d", got, ok, p.score)
	}
}

// A table keeps its entries when it grows, and does not grow beyond its limit.
func TestGrowth(t *testing.T) {
	const most, entries = 4 * firstBuckets, 2 * firstBuckets * bucketSize
	grown := newTable(most)
	const bounds = noBounds + 5<<boundBits // with a lower bound of its own
	place := func(i int) *node { return &node{mine: uint64(i), stones: cells} }
	for i := range entries {
		hash, _ := grown.find(place(i))
		grown.store(hash, bounds, 1)
		if size := len(grown.buckets); grown.crowded() {
			if grown.resize(2*size, func() bool { return true }); len(grown.buckets) != size {
				t.Fatal("a stopped table grows")
			}
			grown.resize(2*size, nil)
		}
	}
	if len(grown.buckets) != most {
		t.Errorf("%d buckets, want %d", len(grown.buckets), most)
	}
	found := 0
	for i := range entries {
		if _, got := grown.find(place(i)); got == bounds {
			found++
		}
	}
	if found != grown.used || found < entries*9/10 {
		t.Errorf("%d entries of %d are in the table, which counts %d", found, entries, grown.used)
	}
}

func TestMirrored(t *testing.T) {
	for x := range width {
		for y := range column {
			if got, want := mirrored(1<<(x*column+y)), bitboard(1)<<((width-1-x)*column+y); got != want {
				t.Errorf("the mirror image of column %d, row %d is %b, want %b", x, y, got, want)
			}
		}
	}
}

// Benchmark measures the time per position and the nodes per second.
func Benchmark(b *testing.B) {
	list := readSet(b, "L2_R2", 100)
	start := time.Now()
	var nodes uint64
	for b.Loop() {
		s := New(tableSize)
		for _, p := range list {
			s.score(p.position, false)
		}
		nodes += s.Nodes()
	}
	b.ReportMetric(float64(nodes)/time.Since(start).Seconds(), "nodes/s")
	b.ReportMetric(time.Since(start).Seconds()*1e6/float64(b.N*len(list)), "µs/position")
}
