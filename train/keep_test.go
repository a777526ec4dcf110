package train_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// If a run keeps only the samples that its windows need (the option Keep), it trains the same
// models as a run that keeps all samples. The older samples are removed.
func TestKeep(t *testing.T) {
	models := map[int][]byte{}
	for _, keep := range []int{0, 2} {
		opt, err := tiny(t.TempDir(), 2)
		if err != nil {
			t.Fatal(err)
		}
		opt.Train.WindowMin, opt.Train.WindowMax, opt.Data.Keep = 1, 2, keep
		r, err := train.Open(opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Loop(context.Background()), r.Close()); err != nil {
			t.Fatal(err)
		}
		for g := range opt.Train.Generations {
			shards, err := opt.Folder.ShardsOf(g)
			if err != nil {
				t.Fatal(err)
			}
			want := opt.Selfplay.Shards()
			if keep > 0 && g < opt.Train.Generations-keep {
				want = 0
			}
			if len(shards) != want {
				t.Errorf("keep %d: generation %d has %d shards, want %d", keep, g, len(shards), want)
			}
		}
		if models[keep], err = os.ReadFile(opt.Folder.Model(rundir.ModelName(opt.Train.Generations - 1))); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[2]) {
		t.Error("the last models of a run that keeps all samples and of one that keeps two generations differ")
	}
}

// The configuration must not remove samples that the trainer will read.
func TestKeepIsNoLessThanTheWindow(t *testing.T) {
	for keep, ok := range map[string]bool{"0": true, "7": true, "8": true, "6": false, "-1": false} {
		_, err := configs.Load("tictactoe", "train.window_min=1", "train.window_max=7", "data.keep="+keep)
		if (err == nil) != ok {
			t.Errorf("data.keep=%s for a window of 7 generations: %v", keep, err)
		}
	}
}
