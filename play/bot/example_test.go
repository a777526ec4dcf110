package bot_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/play/bot"
)

// untrained writes an untrained model to a file for the examples.
func untrained() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "bot")
	if err != nil {
		log.Fatal(err)
	}
	n := model.Network{Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}.For(tictactoe.Rules.Spec)
	meta := model.Meta{Game: tictactoe.Rules.Name, SpecVersion: tictactoe.Rules.Version, Name: "untrained"}
	path = filepath.Join(dir, "model.safetensors")
	if err := model.NewCheckpoint(meta, n, rand.New(rand.NewPCG(1, 1))).Save(path); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

func Example() {
	path, remove := untrained()
	defer remove()

	b, err := bot.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	move, err := b.Move(context.Background(), "xx.oo....")
	fmt.Println(move, err)
	// Output: c3 <nil>
}

// The bot plays a whole game against itself.
func ExampleBot_Choose() {
	path, remove := untrained()
	defer remove()
	b, err := bot.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	b.Simulations = 3000
	p, err := b.Game().Parse(".........")
	for err == nil && p.Outcome() == engine.Ongoing {
		var a engine.Action
		if a, err = b.Choose(context.Background(), p); err == nil {
			p = p.Play(a)
		}
	}
	fmt.Println(p.Outcome(), err)
	// Output: draw <nil>
}
