package main

import (
	"testing"

	"dojo/configs"
)

var machines = setup{trainerCores: 2, workerCores: 2, link: 125e6, trainingSpeedup: 1}

// Every preset can be simulated. Alone a generation takes the sum of its parts. With a
// lag and many workers it takes no less than training, and not twice as long as what the
// trainer's machine is busiest with: training, or what so many workers ask for.
func TestPresets(t *testing.T) {
	for _, name := range configs.Names() {
		l, err := loadOf(name, 1, machines)
		if err != nil {
			t.Fatal(err)
		}
		sum := l.fitTime + (float64(l.shards)*l.shardTime+float64(l.pairs)*l.pairTime)/float64(l.trainerCores)
		if r := simulate(l, 0, 0); r.period < 0.97*sum || r.period > 1.3*sum {
			t.Errorf("%s alone takes %.2f s a generation, its parts %.2f s", name, r.period, sum)
		}
		if r := simulate(l, 64, 1); r.period < l.fitTime || max(r.fit, r.hub, r.link) < 0.5 || r.cores > 0.5 {
			t.Errorf("%s with 64 workers: %v; training takes %.2f s", name, r, l.fitTime)
		}
	}
}

// What is made cheaper is no longer what is short.
func TestBottlenecks(t *testing.T) {
	fast := machines
	fast.trainingSpeedup = 1000
	l, err := loadOf("patchwork", 64, fast)
	if err != nil {
		t.Fatal(err)
	}
	if r := simulate(l, 10, 1); r.bottleneck() != "cores" {
		t.Errorf("10 workers and fast training: %v", r)
	}
	if r := simulate(l, 3000, 1); r.bottleneck() != "the hub" {
		t.Errorf("3000 workers and fast training: %v", r)
	}
	l.setup.link = 1e6
	if r := simulate(l, 3000, 1); r.bottleneck() != "the network" {
		t.Errorf("3000 workers and a slow network: %v", r)
	}
	l, err = loadOf("patchwork", 1, fast)
	if err != nil {
		t.Fatal(err)
	}
	if r := simulate(l, 3000, 0); r.bottleneck() != "shards" {
		t.Errorf("3000 workers for %d shards: %v", l.shards, r)
	}
}

func TestUnknownPreset(t *testing.T) {
	if _, err := loadOf("chess", 1, machines); err == nil {
		t.Error("a preset that does not exist has a load")
	}
}
