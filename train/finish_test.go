package train_test

import (
	"errors"
	"testing"

	"dojo.example/data"
	"dojo.example/train"
)

// finish opens a run, trains it to its end and returns the records of its generations.
func finish(t *testing.T, opt train.Options) []train.Metrics {
	t.Helper()
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Loop(t.Context()), r.Close()); err != nil {
		t.Fatal(err)
	}
	return committed(t, opt)
}

// committed returns the records of a run's committed generations.
func committed(t *testing.T, opt train.Options) []train.Metrics {
	t.Helper()
	all, err := train.ReadMetrics(opt.Folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rows returns the rows of a generation's games.
func rows(t *testing.T, opt train.Options, generation int) (all []data.Row) {
	t.Helper()
	shards, err := opt.Folder.ShardsOf(generation)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shards {
		_, some, err := data.ReadShard(s.Path, data.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}
