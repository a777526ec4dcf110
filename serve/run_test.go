package serve

import (
	"os"
	"slices"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/train"
)

// again makes the server check the folders of its runs immediately.
func (s *Server) again() {
	s.lookAgain()
	s.refresh()
}

// takeBack removes the record of a generation and returns its text.
func takeBack(t testing.TB, f rundir.Folder, generation int) []byte {
	t.Helper()
	text, err := os.ReadFile(f.Record(generation))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.Record(generation)); err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The server infers the stage of a run from the files in its folder.
func TestStage(t *testing.T) {
	f := smallRun(t)
	record := takeBack(t, f, 1)
	trainer, err := os.ReadFile(f.TrainerState(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.TrainerState(1)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.Shard(1, 1)); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, f)
	stage := func(want string, done, total int) {
		t.Helper()
		s.again()
		got := s.news("").Runs[0].Stage
		if got.Name != want || got.Done != done || got.Total != total {
			t.Errorf("the stage is %+v; want %s, %d of %d", got, want, done, total)
		}
	}
	stage("self-play", 8, 16)
	shard, err := os.ReadFile(f.Shard(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	write(t, f.Shard(1, 1), shard)
	stage("train", 0, 0)
	write(t, f.TrainerState(1), trainer)
	stage("gate", 0, 0)
	write(t, f.Record(1), record)
	stage("complete", 0, 0)
}

// The server reports the growth of a run: each generation as soon as its record appears, and
// everything again if the folder now holds a different run.
func TestRunGrows(t *testing.T) {
	f := smallRun(t)
	last := takeBack(t, f, 1)
	s := newServer(t, f)
	s.again()
	news := s.news("")
	clock := news.Clock
	if len(news.Runs) != 1 || len(news.Runs[0].Generations) != 1 || news.Runs[0].Planned != 2 || news.Runs[0].Game != "tictactoe" {
		t.Fatalf("the run is told as %+v", news.Runs)
	}
	if news := s.news(clock); len(news.Runs) != 0 {
		t.Errorf("nothing has happened, and %+v is told", news.Runs)
	}
	write(t, f.Record(1), last)
	s.again()
	news = s.news(clock)
	clock = news.Clock
	if len(news.Runs) != 1 || news.Runs[0].From != 1 || len(news.Runs[0].Generations) != 1 {
		t.Errorf("a new generation is told as %+v", news.Runs)
	}

	takeBack(t, f, 1)
	s.again()
	news = s.news(clock)
	clock = news.Clock
	if len(news.Runs) != 1 || news.Runs[0].From != 0 || len(news.Runs[0].Generations) != 1 {
		t.Errorf("a generation that was taken back is told as %+v", news.Runs)
	}
	write(t, f.Record(1), []byte("{"))
	s.again()
	news = s.news(clock)
	clock = news.Clock
	if len(news.Runs) != 1 || !strings.Contains(news.Runs[0].Error, "000001.json") || strings.Contains(news.Runs[0].Error, "\n") {
		t.Errorf("a damaged record is told as %+v", news.Runs)
	}
	write(t, f.Record(1), last)
	s.again()
	if news = s.news(clock); len(news.Runs) != 1 || news.Runs[0].Error != "" || news.Runs[0].From != 1 {
		t.Errorf("a mended record is told as %+v", news.Runs)
	}
}

// If this process trains a run, the server reports the run's stage from Options.Live.
func TestLive(t *testing.T) {
	f := smallRun(t)
	takeBack(t, f, 1)
	stage := train.Stage{Generation: 1, Name: "gate", Done: 3, Total: 4, Remark: "+2 −1 =0"}
	s, err := New(Options{Runs: []rundir.Folder{f}, Live: func() *train.Stage { return &stage }})
	if err != nil {
		t.Fatal(err)
	}
	s.again()
	if got := s.news("").Runs[0].Stage; got.Done != 3 || got.Remark != stage.Remark || got.Name != "gate" {
		t.Errorf("the stage is %+v", got)
	}
	// Generation 0 is complete, so the stage that Live reports is out of date. The server must then
	// infer the stage from the files.
	stage.Generation = 0
	s.again()
	if got := s.news("").Runs[0].Stage; got.Generation != 1 || got.Done == 3 {
		t.Errorf("the stage is %+v", got)
	}
}

// The server shows a run that is created while the server runs.
func TestFind(t *testing.T) {
	var found []rundir.Folder
	s, err := New(Options{Find: func() []rundir.Folder { return append(found, rundir.Folder(t.TempDir())) }})
	if err != nil {
		t.Fatal(err)
	}
	s.again()
	clock := s.news("").Clock
	found = []rundir.Folder{smallRun(t)}
	s.again()
	if n := s.news(clock); len(n.IDs) != 1 || len(n.Runs) != 1 || n.Runs[0].Run != "small" || len(n.Runs[0].Generations) != 2 {
		t.Errorf("a new run is told as %+v", n)
	}
	s.again()
	if n := s.news(s.news("").Clock); len(n.IDs) != 1 || len(n.Runs) != 0 {
		t.Errorf("the same run again is told as %+v", n)
	}
}

// Runs with the same folder name get different ids.
func TestUnique(t *testing.T) {
	s := newServer(t, smallRun(t), smallRun(t))
	if s.runs[0].Run != "small" || s.runs[1].Run != "small-2" {
		t.Errorf("the runs are %q and %q", s.runs[0].Run, s.runs[1].Run)
	}
}

// The strengths of a run's models come from the run's ladder (its rating matches).
func TestLadder(t *testing.T) {
	s := newServer(t, smallRun(t))
	s.again()
	l := s.news("").Runs[0].Ladder
	if l.Zero != model.NoModel || len(l.Rungs) == 0 || !(l.Rungs[0].Low < l.Rungs[0].Elo && l.Rungs[0].Elo < l.Rungs[0].High) {
		t.Errorf("the ladder is %+v", l)
	}
}

// The server recomputes the ladder (the ratings of the models) after new matches, and if the folder
// now holds a different run.
func TestLadderAgain(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	ladder := func() Ladder {
		s.again()
		return s.news("").Runs[0].Ladder
	}
	if rungs := ladder().Rungs; len(rungs) != 1 {
		t.Fatalf("the ladder has the rungs %+v", rungs)
	}
	takeBack(t, f, 1)
	text := takeBack(t, f, 0)
	if rungs := ladder().Rungs; len(rungs) != 0 {
		t.Errorf("without a record the ladder has the rungs %+v", rungs)
	}
	write(t, f.Record(0), text)
	if rungs := ladder().Rungs; len(rungs) != 1 {
		t.Errorf("after the first generation's matches the ladder has the rungs %+v", rungs)
	}
}

// The server shows the results of "dojo evaluate" for the models that a run has trained. It uses
// only lines with the same positions and the same budget as the last line, and only the latest of
// them for each model. It ignores an unfinished last line, and its error message names a damaged
// line.
func TestSolved(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	told := func(lines string) Snapshot {
		t.Helper()
		write(t, f.Solved(), []byte(lines))
		s.again()
		return s.news("").Runs[0]
	}
	if got := told("").Solved; got == nil || len(got) != 0 {
		t.Errorf("of no line the snapshot has %v", got)
	}
	const (
		other = `{"model":"000000","simulations":8,"solved":"a","positions":10,"share":0.1}` + "\n"
		zero  = `{"model":"000000","simulations":64,"solved":"a","positions":10,"share":0.5}` + "\n"
		again = `{"model":"000000","simulations":64,"solved":"a","positions":10,"share":0.6}` + "\n"
		first = `{"model":"000001","simulations":64,"solved":"a","positions":10,"share":0.75}` + "\n"
		named = `{"model":"alphabeta","solved":"a","positions":10,"share":1}` + "\n"
	)
	got := told(other + first + zero + again + named + first[:20])
	want := []Solved{
		{Generation: 0, Solved: "a", Simulations: 64, Positions: 10, Share: 0.6},
		{Generation: 1, Solved: "a", Simulations: 64, Positions: 10, Share: 0.75},
	}
	if !slices.Equal(got.Solved, want) || got.Error != "" {
		t.Errorf("the snapshot has %v and the error %q; want %v", got.Solved, got.Error, want)
	}
	if got := told(zero + "nonsense\n"); !strings.Contains(got.Error, "solved.jsonl, line 2") {
		t.Errorf("a damaged line is told as %q", got.Error)
	}
	if got := told(first); got.Error != "" || len(got.Solved) != 1 {
		t.Errorf("after it was mended the snapshot has %v and the error %q", got.Solved, got.Error)
	}
}
