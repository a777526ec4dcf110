package train_test

import (
	"math"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/train"
)

// NewStats has the correct losses of the previous generation's candidate on the new games, for both
// kinds of networks.
func TestNewGames(t *testing.T) {
	residual, err := tiny(t.TempDir(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []train.Options{residual, tinySparse(t, t.TempDir(), 2)} {
		opt.Selfplay.Games = 16 // so few games that NewStats measures all their positions
		all := finish(t, opt)
		if got := all[0].Fit.New; got != (train.NewStats{}) {
			t.Errorf("%s: the first generation has %+v, and no model came before it", opt.Network.Sizes(), got)
		}
		got, want := all[2].Fit.New, newGames(t, opt, 2)
		if got.Positions != want.Positions || math.Abs(got.PolicyLoss-want.PolicyLoss) > 1e-6 || math.Abs(got.ValueLoss-want.ValueLoss) > 1e-6 {
			t.Errorf("%s: on new games %+v, want %+v", opt.Network.Sizes(), got, want)
		}
		if got.Agreement < 0.2 || got.Agreement > 1 || got.ValueError < 0.05 || got.ValueError > 2 {
			t.Errorf("%s: on new games %+v", opt.Network.Sizes(), got)
		}
	}
}

// newGames computes the losses in NewStats from the run's files, one position at a time.
func newGames(t *testing.T, opt train.Options, g int) (want train.NewStats) {
	c, err := model.Load(opt.Folder.Model(rundir.ModelName(g - 1)))
	if err != nil {
		t.Fatal(err)
	}
	net := model.NewNet(c)
	for _, row := range rows(t, opt, g) {
		p, err := opt.Game.Parse(row.Position)
		if err != nil {
			t.Fatal(err)
		}
		b := model.NewBatch(net)
		if err := b.Ask(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		probability := map[engine.Action]float64{}
		var sum float64
		for i, a := range b.Input.Legal {
			probability[a] = math.Exp(float64(b.Logits[i]))
			sum += probability[a]
		}
		for _, w := range row.Policy {
			want.PolicyLoss -= float64(w.Weight) * math.Log(probability[engine.Action(w.Action)]/sum)
		}
		z := (1-float64(opt.Train.SearchValueShare))*float64(row.Outcome) + float64(opt.Train.SearchValueShare)*float64(row.Value)
		v, z := float64(b.Values[0]), z*float64(p.ToMove().Sign())
		want.ValueLoss -= (1+z)/2*math.Log((1+v)/2) + (1-z)/2*math.Log((1-v)/2)
		want.Positions++
	}
	want.PolicyLoss /= float64(want.Positions)
	want.ValueLoss /= float64(want.Positions)
	return want
}
