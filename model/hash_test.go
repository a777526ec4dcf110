package model_test

import (
	"math/rand/v2"
	"testing"

	"dojo/engine"
	"dojo/model"
)

// Hashes name checkpoints in runs, exports and reports. These were written
// down before the architecture became a list: neither the architecture's text
// nor the first weights of a seed may change.
func TestHashesOfKnownCheckpoints(t *testing.T) {
	board := func(c, h, w int) engine.Shape { return engine.Shape{C: c, H: h, W: w} }
	for _, x := range []struct {
		network model.Network
		want    string
	}{
		{model.Network{Planes: board(2, 3, 3), Actions: 9, Channels: 16, Blocks: 1, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}, "ff41234b78e14fb7"},
		{model.Network{Planes: board(5, 5, 5), Actions: 50, Channels: 16, Blocks: 3, PolicyPlanes: 3, ValuePlanes: 3, ValueFeatures: 7}, "6aac8b367213f14d"},
		{model.Network{Planes: board(3, 2, 6), Actions: 11, Channels: 32, Blocks: 6, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}, "34c5e1a7775359b0"},
		{model.Network{Planes: board(9, 1, 1), Actions: 11, Channels: 16, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}, "f25a03cf8071e0c6"},
		{model.Network{Planes: board(4, 9, 9), Actions: 162, Channels: 16, Blocks: 2, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8, Margin: 20}, "3420ab5e20181b4c"},
	} {
		c := model.NewCheckpoint(model.Meta{Game: "game"}, x.network, rand.New(rand.NewPCG(7, 7)))
		if got := c.Hash(); got != x.want {
			t.Errorf("%+v: hash %s, want %s", x.network, got, x.want)
		}
	}
}
