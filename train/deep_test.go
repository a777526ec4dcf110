package train_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
	"dojo.example/train"
)

// DeepStats are the same as the figures from two separate searches of the first position, one of
// them with 16 times as many simulations. They do not depend on the number of workers.
func TestDeep(t *testing.T) {
	residual, err := tiny(t.TempDir(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []train.Options{residual, tinySparse(t, t.TempDir(), 1)} {
		all := finish(t, opt)
		if got := all[0].Fit.Deep; got != (train.DeepStats{}) {
			t.Errorf("%s: the first generation has %+v, and no model played it", opt.Network.Sizes(), got)
		}
		for g, m := range all[1:] {
			if want := deep(t, opt, g+1, m.Player); m.Fit.Deep != want {
				t.Errorf("%s: generation %d has %+v, want %+v", opt.Network.Sizes(), g+1, m.Fit.Deep, want)
			}
		}
	}
}

// deep computes the DeepStats of generation g with two independent searches.
func deep(t *testing.T, opt train.Options, g int, player string) train.DeepStats {
	t.Helper()
	p, err := opt.Game.Parse(rows(t, opt, g)[0].Position)
	if err != nil {
		t.Fatal(err)
	}
	c, err := model.Load(opt.Folder.Model(player))
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Evaluator(opt.Train.Precision)
	if err != nil {
		t.Fatal(err)
	}
	search := func(visits int) (engine.Action, float32) {
		d := think.NewDriver(opt.Game, opt.Search, e, 1)
		s := d.Lanes[0].Search
		s.Reset(p, rand.New(rand.NewPCG(1, 1)))
		d.Lanes[0].Begin(mcts.RootRule{Final: mcts.LCB}, think.Budget{Visits: visits})
		if err := d.Run(t.Context(), func(*think.Lane, think.Stop) error { return nil }); err != nil {
			t.Fatal(err)
		}
		return s.Root().Choose(0), s.Root().Value()
	}
	short, value := search(opt.Search.Simulations)
	long, longValue := search(16 * opt.Search.Simulations)
	want := train.DeepStats{Positions: 1, ValueChange: max(float64(longValue)-float64(value), float64(value)-float64(longValue))}
	if short == long {
		want.Agreement = 1
	}
	return want
}

// Metrics.Late is the share of positions that the game calls late (close to its end).
func TestLate(t *testing.T) {
	opt := tinySparse(t, t.TempDir(), 2)
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Generation(t.Context()), r.Close()); err != nil {
		t.Fatal(err)
	}
	late, all := 0, rows(t, opt, 0)
	for _, row := range all {
		p, err := opt.Game.Parse(row.Position)
		if err != nil {
			t.Fatal(err)
		}
		if p.State().(engine.LateReporter).Late() {
			late++
		}
	}
	if got, want := committed(t, opt)[0].Late, float64(late)/float64(len(all)); got != want || want == 0 || want == 1 {
		t.Errorf("%v of the positions are late, want %d of %d, some and not all", got, late, len(all))
	}
}
