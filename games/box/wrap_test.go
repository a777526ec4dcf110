package box

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/search/think"
)

// An evaluator may wrap a network. The test plays games with three wrappers: one counts rows, one
// caches answers, and one answers from another goroutine. The games must be the same as without a
// wrapper.
func TestWrapped(t *testing.T) {
	for _, game := range Games() {
		t.Run(game, func(t *testing.T) {
			c, err := Load(game)
			if err != nil {
				t.Fatal(err)
			}
			entry, err := games.ByName(game)
			if err != nil {
				t.Fatal(err)
			}
			for _, precision := range []model.Precision{model.Float32, model.Int8} {
				opt, err := think.Model(c, precision)
				if err != nil {
					t.Fatal(err)
				}
				net := opt.Evaluator
				want := playedGame(t, entry, opt)
				counting, keeping, elsewhere := &counter{Evaluator: net}, newKeeper(net), newRemote(t, net)
				for name, e := range map[string]model.Evaluator{"counting": counting, "keeping": keeping, "elsewhere": elsewhere} {
					opt.Evaluator = e
					if got := playedGame(t, entry, opt); !slices.Equal(got, want) {
						t.Errorf("%s, %s: it plays %v, want %v", name, precision, got, want)
					}
				}
				if counting.rows.Load() == 0 || keeping.hits == 0 || keeping.misses == 0 || elsewhere.asked.Load() == 0 {
					t.Errorf("%s: the wrappers were not asked: %d rows counted, %d answers kept and %d used again, %d batches elsewhere",
						precision, counting.rows.Load(), keeping.misses, keeping.hits, elsewhere.asked.Load())
				}
			}
		})
	}
}

// playedGame returns the actions of a game in which one thinker plays both sides.
func playedGame(t *testing.T, game games.Entry, opt think.Options) (actions []engine.Action) {
	t.Helper()
	thinker := think.New(game.Game, opt)
	p := game.Start(rand.New(rand.NewPCG(2, 1)))
	for p.Outcome() == engine.Ongoing {
		thinker.NewGame(1) // NewGame discards the search tree, so that the evaluator must evaluate positions again
		if _, err := thinker.Think(t.Context(), p, think.Budget{Visits: 24}); err != nil {
			t.Fatal(err)
		}
		a := thinker.Choose()
		actions, p = append(actions, a), p.Play(a)
	}
	return actions
}

// counter is a wrapper that counts the rows that it evaluates.
type counter struct {
	model.Evaluator
	rows atomic.Int64
}

func (c *counter) Evaluate(ctx context.Context, b *model.Batch) error {
	c.rows.Add(int64(b.Input.Rows()))
	return c.Evaluator.Evaluate(ctx, b)
}

// keeper is a wrapper that caches answers and evaluates each row only once.
type keeper struct {
	model.Evaluator
	asked        *model.Batch // rows without a cached answer
	kept         map[string]answer
	hits, misses int
}

type answer struct {
	logits []float32
	value  float32
}

func newKeeper(e model.Evaluator) *keeper {
	return &keeper{Evaluator: e, asked: model.NewBatch(e), kept: map[string]answer{}}
}

func (k *keeper) Evaluate(ctx context.Context, b *model.Batch) error {
	var keys []string
	k.asked.Input.Reset()
	var missing []string
	for row := range b.Input.Rows() {
		key := keyOf(&b.Input, row)
		keys = append(keys, key)
		if _, ok := k.kept[key]; !ok {
			k.asked.Input.AppendRow(&b.Input, row, nil)
			missing = append(missing, key)
		}
	}
	k.hits, k.misses = k.hits+len(keys)-len(missing), k.misses+len(missing)
	if err := k.asked.Evaluate(ctx); err != nil {
		return err
	}
	for row, key := range missing {
		from, to := k.asked.Input.LegalRange(row, row+1)
		k.kept[key] = answer{slices.Clone(k.asked.Logits[from:to]), k.asked.Values[row]}
	}
	for row, key := range keys {
		from, _ := b.Input.LegalRange(row, row+1)
		copy(b.Logits[from:], k.kept[key].logits)
		b.Values[row] = k.kept[key].value
	}
	return nil
}

// keyOf returns the contents of a row of an Input. keeper uses them as the key of its cache.
func keyOf(in *engine.Input, row int) string {
	var key []byte
	if in.HasPlanes() {
		key, _ = binary.Append(key, binary.LittleEndian, in.PlanesOf(row))
	}
	for _, list := range [][]uint16{in.FeaturesOf(row), in.AllActionFeatures(row)} {
		key, _ = binary.Append(key, binary.LittleEndian, uint32(len(list)))
		key, _ = binary.Append(key, binary.LittleEndian, list)
	}
	key, _ = binary.Append(key, binary.LittleEndian, in.LegalOf(row))
	return string(key)
}

// remote is a wrapper that evaluates in another goroutine, as if it ran on another machine.
type remote struct {
	model.Evaluator
	batches chan *model.Batch
	answers chan error
	asked   atomic.Int64
}

func newRemote(t *testing.T, e model.Evaluator) *remote {
	r := &remote{Evaluator: e, batches: make(chan *model.Batch), answers: make(chan error)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := range r.batches {
			r.asked.Add(1)
			r.answers <- e.Evaluate(context.Background(), b)
		}
	}()
	t.Cleanup(func() {
		close(r.batches)
		<-done
	})
	return r
}

func (r *remote) Evaluate(_ context.Context, b *model.Batch) error {
	r.batches <- b
	return <-r.answers
}
