package arena

import (
	"math"
	"reflect"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/oanquan"
)

// Points are counted for players A and B even if B plays First. A repeated game does not count, and
// its pair then counts as half a pair. The points of a forfeited game do not count.
func TestPointsOfPairs(t *testing.T) {
	var r Result
	r.add([]Record{
		{AFirst: true, Outcome: engine.FirstWins, Points: []int{30, 21}},
		{Outcome: engine.FirstWins, Points: []int{26, 22}},
	})
	if got, want := r.Points, (Points{Games: 2, A: 52, B: 47, Pairs: 1, Margins: 2.5, Squares: 6.25}); got != want {
		t.Errorf("a pair of +9 and −4: %+v, want %+v", got, want)
	}
	r.add([]Record{
		{AFirst: true, Outcome: engine.FirstWins, Points: []int{9, 1}, Repeat: true},
		{Outcome: engine.SecondWins, Points: []int{5, 21}},
	})
	r.add([]Record{
		{AFirst: true, Outcome: engine.FirstWins, Points: []int{70, 0}, Forfeit: "late"},
		{Outcome: engine.Draw},
	})
	want := Points{Games: 3, A: 73, B: 52, Pairs: 1.5, Margins: 10.5, Squares: 134.25}
	if r.Points != want {
		t.Errorf("with half a pair of +16: %+v, want %+v", r.Points, want)
	}
	m := r.Points.Margin()
	if half := z * math.Sqrt((134.25/1.5-7*7)/1.5); math.Abs(m.Mean-7) > 1e-12 || math.Abs(m.High-m.Mean-half) > 1e-12 || math.Abs(m.Mean-m.Low-half) > 1e-12 {
		t.Errorf("margin %+v", m)
	}
}

// A match records the points of its games. Check rejects records whose points do not follow from
// their actions.
func TestPointsAreChecked(t *testing.T) {
	game := oanquan.Rules.Game()
	var games []Record
	o := Options{Game: game, A: Greedy(), B: Random(), Games: 20, Seed: 3, OpeningPlies: 2, Workers: 2,
		Records: func(r Record) error { games = append(games, r); return nil }}
	r, err := Match(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	pairs := NewPairs(o)
	for i := 0; i < len(games); i += 2 {
		pair := games[i : i+2]
		if err := pairs.Check(t.Context(), i/2, pair); err != nil {
			t.Fatalf("pair %d: %v", i/2, err)
		}
		pair[1].Points = []int{pair[1].Points[0] + 1, pair[1].Points[1]}
		if pairs.Check(t.Context(), i/2, pair) == nil {
			t.Errorf("pair %d was accepted with a point too many", i/2)
		}
		if pair[1].Points = nil; pairs.Check(t.Context(), i/2, pair) == nil {
			t.Errorf("pair %d was accepted without points", i/2)
		}
	}
	s := r.Summary("greedy", "random")
	if r.Points.Games != 20 || s.Scored == nil || s.Margin.Low <= 0 || math.Abs(s.Points[0]-s.Points[1]-s.Margin.Mean) > 1e-9 {
		t.Errorf("greedy against random: %+v, in short %+v", r.Points, s.Scored)
	}
	if none := match(t, Options{A: Greedy(), B: Random(), Games: 4, Seed: 3}); none.Points != (Points{}) || none.Summary("", "").Scored != nil {
		t.Errorf("a game without scores has points: %+v", none.Points)
	}
}

// The points of a match that is read from its log equal the points when it was played.
func TestMatchLogKeepsPoints(t *testing.T) {
	game, path := oanquan.Rules.Game(), t.TempDir()+"/l.jsonl"
	o := Options{Game: game, A: Greedy(), B: Random(), Games: 10, Seed: 3, OpeningPlies: 2, Workers: 1}
	want, err := Match(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // first play the match, then read it from the log
		if o.Log, err = OpenMatchLog(game.Name, path); err != nil {
			t.Fatal(err)
		}
		got, err := Match(t.Context(), o)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}
