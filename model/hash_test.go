package model_test

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
)

// The hashes of these networks are still the same as before the architecture became a list of
// layers. They must not change, because runs, exports and reports identify checkpoints by their
// hashes.
func TestHashesOfKnownCheckpoints(t *testing.T) {
	board := func(c, h, w int) engine.Shape { return engine.Shape{C: c, H: h, W: w} }
	for _, x := range []struct {
		network model.Network
		want    string
	}{
		{model.Network{Planes: board(2, 3, 3), Actions: 9, Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}}, "1ecd977d95404fe4"},
		{model.Network{Planes: board(5, 5, 5), Actions: 50, Body: model.Residual{Channels: 16, Blocks: 3, PolicyPlanes: 3, ValuePlanes: 3, ValueFeatures: 7}}, "fd1ae58855852ced"},
		{model.Network{Planes: board(3, 2, 6), Actions: 11, Body: model.Residual{Channels: 32, Blocks: 6, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}}, "7e3d07400f65c8c5"},
		{model.Network{Planes: board(4, 9, 9), Actions: 162, Margin: 20, Body: model.Residual{Channels: 16, Blocks: 2, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}, "ef75c8be921002ec"},
	} {
		c := model.NewCheckpoint(model.Meta{Game: "game"}, x.network, rand.New(rand.NewPCG(7, 7)))
		for _, p := range c.Params() {
			for i := range c.Tensors[p.Name] {
				c.Tensors[p.Name][i] = float32(i%17) / 16
			}
		}
		if got := c.Hash(); got != x.want {
			t.Errorf("%+v: hash %s, want %s", x.network, got, x.want)
		}
	}
}
