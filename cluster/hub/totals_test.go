package hub_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"dojo.example/cluster/worker"

	"dojo.example/arena"
	cluster "dojo.example/cluster/hub"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeAgain writes the rows of a shard (a file of self-play games) to a new file, with the
// metadata of the shard and the given options. row converts each row.
func writeAgain[Row any](t *testing.T, shard []byte, row func(data.Row) Row, options ...parquet.WriterOption) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(shard), int64(len(shard)))
	if err != nil {
		t.Fatal(err)
	}
	_, old, err := data.DecodeShard("a shard", shard, data.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for _, r := range old {
		rows = append(rows, row(r))
	}
	all := []parquet.WriterOption{parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault})}
	for _, kv := range f.Metadata().KeyValueMetadata {
		all = append(all, parquet.KeyValueMetadata(kv.Key, kv.Value))
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[Row](&b, append(all, options...)...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stated is a row with an additional column, in which the writer states a number of simulations.
type stated struct {
	data.Row
	Simulations int64 `parquet:"simulations"`
}

// The hub counts the games and positions of a result itself, and refuses a result that contains any
// additional number.
func TestResultStatesNothing(t *testing.T) {
	opt, _, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	alone, err := want()
	if err != nil {
		t.Fatal(err)
	}
	shard := []byte(alone["samples/gen-000000/shard-000001.parquet"])
	_, rows, err := data.DecodeShard("a shard", shard, data.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	match := testMatch(t, &played{})
	pairs := arena.NewPairs(match)
	games, err := pairs.Play(t.Context(), pairs.Players(), 0)
	if err != nil {
		t.Fatal(err)
	}
	pair := arena.EncodePair(games)
	turned := append([]arena.Record(nil), games...)
	if turned[0].Outcome = engine.FirstWins; games[0].Outcome == engine.FirstWins {
		turned[0].Outcome = engine.SecondWins
	}
	same := func(r data.Row) data.Row { return r }
	created := parquet.CreatedBy("dojo", opt.ProgramVersion, "")

	ofShard := func(content []byte) (selfplay.Totals, error) {
		return cluster.CheckShard(t.Context(), &opt, 1, content)
	}
	ofPair := func(content []byte) (selfplay.Totals, error) {
		return cluster.CheckPair(t.Context(), match, 0, content)
	}
	for _, c := range []struct {
		what    string
		check   func([]byte) (selfplay.Totals, error)
		content []byte
		valid   bool
	}{
		{"a shard", ofShard, shard, true},
		{"a shard written again", ofShard, writeAgain(t, shard, same, created), true},
		{"a shard with another key", ofShard, writeAgain(t, shard, same, created, parquet.KeyValueMetadata("dojo.games", "1000000")), false},
		{"a shard by another program", ofShard, writeAgain(t, shard, same, parquet.CreatedBy("another", "1", "")), false},
		{"a shard in other pages", ofShard, writeAgain(t, shard, same, created, parquet.DataPageVersion(1)), false},
		{"a shard with another column", ofShard, writeAgain(t, shard, func(r data.Row) stated { return stated{r, math.MaxInt64} }, created), false},
		{"a pair", ofPair, pair, true},
		{"a pair with spaces", ofPair, append([]byte("   "), pair...), false},
		{"a pair with another key", ofPair, bytes.Replace(pair, []byte(`{"opening"`), []byte(`{"plies":1000000,"opening"`), 1), false},
		{"a pair with another outcome", ofPair, arena.EncodePair(turned), false},
	} {
		has, err := c.check(c.content)
		if (err == nil) != c.valid {
			t.Errorf("%s: %v", c.what, err)
		}
		if c.valid && c.content[0] == 'P' && has != (selfplay.Totals{Games: 8, Positions: len(rows), Simulations: 16 * len(rows), Evaluations: 17 * len(rows)}) {
			t.Errorf("%s: %+v", c.what, has)
		}
		if c.valid && c.content[0] == '[' && has != (selfplay.Totals{Games: 2, Positions: len(games[0].Actions) + len(games[1].Actions)}) {
			t.Errorf("%s: %+v", c.what, has)
		}
	}
}

// The amounts of work that workers claim do not appear in the roster (the list of workers). The
// record of a generation includes them, but capped at what the workers' results can have required.
// If a result arrives twice, it counts once.
func TestClaims(t *testing.T) {
	t.Parallel()
	alone, err := want()
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range []int{math.MaxInt, math.MinInt, 0} {
		opt, hub := start(t, "")
		line := connect(t, hub, strangers, "")
		proof, err := worker.Proof(t.Context(), hello(t, line, "").Config)
		if err != nil {
			t.Fatal(err)
		}
		entry := hello(t, line, proof)
		begin, ended := make(chan struct{}), make(chan error, 1)
		waitFirst(&opt, begin)
		games, total := opt.Games, map[int]selfplay.Totals{}
		opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (t selfplay.Totals, err error) {
			t, err = games(ctx, f, job)
			total[job.Generation] = t
			return t, err
		}
		go func() { ended <- finish(t, hub, opt) }()
		lot := cluster.FirstLot(entry.Config, opt.Name, opt.ProgramVersion)
		pulse := fmt.Sprintf(`{"worker":%q,"goroutines":%d,"held":1000,"totals":{"Games":%d}}`, stranger, made, made)
		tasks := 0
		for tasks < 5 { // five of the run's six tasks; the trainer holds the sixth
			number, ok, err := AskForTask(line, entry.Run, stranger, lot)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue // no task is available yet, because the generation has not begun
			}
			shard := alone[fmt.Sprintf("samples/gen-000000/shard-%06d.parquet", number)]
			header := nats.Header{"Dojo-Result": {ResultWith(stranger, strangers, lot, number, shard, made)}}
			for range 2 {
				msg := &nats.Msg{Subject: ResultSubject(entry.Run, stranger), Header: header, Data: []byte(shard)}
				if _, err := line.RequestMsg(msg, time.Minute); err != nil {
					t.Fatal(err)
				}
				if err := line.Publish(PulseSubject(entry.Run, stranger), []byte(pulse)); err != nil {
					t.Fatal(err)
				}
			}
			for hub.Accepted() == tasks {
				time.Sleep(time.Millisecond)
			}
			tasks++
		}
		close(begin)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		compare(t, string(opt.Folder))
		for g := range 2 {
			rows := 0
			for shard := range 6 {
				_, all, err := data.DecodeShard("a shard", []byte(alone[fmt.Sprintf("samples/gen-%06d/shard-%06d.parquet", g, shard)]), data.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				rows += len(all)
			}
			x := total[g]
			if x.Games != 48 || x.Positions != rows || x.Simulations < 0 || x.Simulations > 16*rows || x.Evaluations < 0 || x.Evaluations > 17*rows {
				t.Errorf("a worker claims %d: generation %d, which has %d positions, counts %+v", made, g, rows, x)
			}
		}
		all, err := opt.Folder.Workers()
		if err != nil || len(all.Workers) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		w := all.Workers[0]
		if w.Tasks != 5 || w.Games != 40 || w.Held != 0 || w.GamesPerSecond < 0 || w.GamesPerSecond > 20 || w.Goroutines < 0 || w.Goroutines > 1<<16 {
			t.Errorf("a worker claims %d: %+v", made, w)
		}
	}
}
