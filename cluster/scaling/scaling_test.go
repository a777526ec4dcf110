package main

import (
	"testing"

	"dojo.example/configs"
)

// Every preset has an estimate. Alone a generation takes at least the sum of its parts. With a
// lag and many workers it takes no less than training, and the cores wait for the trainer.
func TestPresets(t *testing.T) {
	for _, name := range configs.Names() {
		l, err := newLoad(name, 1, 1, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		sum := l.fitTime + (l.shards*l.shardTime+l.pairs*l.pairTime)/2
		if r := l.estimate(0, 0); r.period < 0.999*sum || r.period > 1.3*sum {
			t.Errorf("%s alone takes %.2f s a generation, its parts %.2f s", name, r.period, sum)
		}
		if r := l.estimate(64, 1); r.period < l.fitTime || max(r.fit, r.hub, r.network) < 0.5 || r.playing > 0.5 {
			t.Errorf("%s with 64 workers: %v; training takes %.2f s", name, r, l.fitTime)
		}
	}
}

// A part that is made cheaper is no longer the bottleneck.
func TestBottlenecks(t *testing.T) {
	for _, c := range []struct {
		games, speedup float64
		workers, lag   int
		want           string
	}{
		{1, 1, 100, 1, "training"},
		{64, 1000, 10, 1, "cores"},
		{64, 1000, 3000, 1, "the hub"},
		{1, 1000, 100, 0, "shards"},
	} {
		l, err := newLoad("patchwork", c.games, c.speedup, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		if r := l.estimate(c.workers, c.lag); r.bottleneck() != c.want {
			t.Errorf("%+v: the bottleneck is %s: %v", c, r.bottleneck(), r)
		}
	}
}

func TestUnknownPreset(t *testing.T) {
	if _, err := newLoad("chess", 1, 1, 2, 2); err == nil {
		t.Error("a preset that does not exist has a load")
	}
}
