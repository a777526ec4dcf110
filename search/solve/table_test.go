package solve

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/search/alphabeta"
)

var testCards = []int{8, 6, 0, 12, 9}

// endings returns the endings with testCards and the given number of students per side.
func endings(t testing.TB, students int) *onitama.Endings {
	t.Helper()
	e, err := onitama.NewEndings(testCards, students)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func never() bool { return false }

// small returns a table that several tests share.
var small = sync.OnceValues(func() (*Table, error) {
	e, err := onitama.NewEndings(testCards, students())
	if err != nil {
		return nil, err
	}
	t := NewTable(e)
	return t, t.Solve(never, 2, nil)
})

func smallTable(t testing.TB) *Table {
	t.Helper()
	table, err := small()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// onitamaData is the folder with positions that another program has solved.
const onitamaData = "../../engine/onitama/testdata/"

// read decodes a gzip file with a JSON value on each line.
func read[V any](t testing.TB, name string) (all []V) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for in := json.NewDecoder(bytes.NewReader(text)); in.More(); {
		var l V
		if err := in.Decode(&l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// students returns the number of students per side in the shared table. With SOLVE=2 in the
// environment, the number is 2, and TestVectors covers all positions of its test data; this takes
// 1.5 GB of memory and several minutes.
func students() int {
	if os.Getenv("SOLVE") == "2" {
		return 2
	}
	return 1
}

// For every action, the table has the same value and the same number of plies as another program.
func TestVectors(t *testing.T) {
	table := smallTable(t)
	compared := 0
	for _, want := range read[Line](t, onitamaData+"solved6-8_6_0_12_9.jsonl.gz") {
		s, err := onitama.Parse(want.Position)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := table.Value(s); !ok {
			continue
		}
		compared++
		got, ok := table.Line(s)
		if !ok || got.Value != want.Value && want.Value != got.Value[:1] || !maps.Equal(got.Moves, want.Moves) {
			t.Errorf("%s is %s with %v, want %s with %v", s, got.Value, got.Moves, want.Value, want.Moves)
		}
	}
	t.Logf("%d positions compared", compared)
	if compared < 50 || students() == 2 && compared < 800 {
		t.Errorf("only %d positions were compared", compared)
	}
}

// Every forced win that alpha-beta finds is a win in the table, and alpha-beta never finds a
// quicker win than the table.
func TestAlphaBeta(t *testing.T) {
	table := smallTable(t)
	search := alphabeta.New(onitama.Classic)
	rng := rand.New(rand.NewPCG(4, 4))
	wins := 0
	for range 300 {
		s, ok := table.endings.Position(rng.Uint32N(uint32(table.endings.Placements())), rng.IntN(onitama.Deals), engine.Player(rng.IntN(2)))
		if !ok {
			continue
		}
		v, _ := table.Value(s)
		search.Reset()
		r := search.Search(engine.Forget(s), alphabeta.Limit{Nodes: 20_000})
		mine := r.Value * int(s.ToMove().Sign())
		switch found := max(mine, -mine) > alphabeta.Win-200; {
		case found && mine > 0 && (v.result(s.ToMove()) != 1 || v.Plies > alphabeta.Win-mine),
			found && mine < 0 && (v.result(s.ToMove()) != -1 || v.Plies > alphabeta.Win+mine):
			t.Errorf("%s is %v, and alpha-beta finds %+d", s, v, r.Value)
		case found:
			wins++
		}
	}
	if wins < 100 {
		t.Errorf("alpha-beta finds only %d wins", wins)
	}
}

// The table does not depend on the number of workers, and Solve can be stopped.
func TestWorkers(t *testing.T) {
	two, one := smallTable(t), NewTable(endings(t, students()))
	if err := one.Solve(never, 1, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.plies, two.plies) || !slices.Equal(one.won, two.won) || !slices.Equal(one.lost, two.lost) {
		t.Error("with one worker and with two the tables differ")
	}
	stopped := func() bool { return true }
	if err := NewTable(endings(t, 1)).Solve(stopped, 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped, it says %v", err)
	}
}
