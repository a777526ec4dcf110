//go:build js && wasm

// The program wasm is the bot in a browser. It runs in a web worker and has functions,
// for the page to call, that take and return text.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"syscall/js"
	"time"

	"dojo/analysis"
	"dojo/engine"
	"dojo/games"
	"dojo/model"
	"dojo/think"
)

// player is the bot that the page plays with.
var player struct {
	checkpoint *model.Checkpoint
	game       games.Entry
	thinker    *think.Thinker
}

func main() {
	export("load", load)
	export("start", start)
	export("state", state)
	export("think", search)
	js.Global().Call("postMessage", map[string]any{"ready": true})
	select {}
}

// export makes f a function of the worker, dojo_NAME. The page gets what it returns as
// JSON, and an error as {"error": …}.
func export(name string, f func(args []js.Value) (any, error)) {
	js.Global().Set("dojo_"+name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := f(args)
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		text, err := json.Marshal(result)
		if err != nil {
			panic(err) // all results are plain data
		}
		return string(text)
	}))
}

// load makes the checkpoint whose bytes it is given the one that plays.
func load(args []js.Value) (any, error) {
	data := make([]byte, args[0].Length())
	js.CopyBytesToGo(data, args[0])
	c, err := model.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if player.game, err = games.ByName(c.Game); err != nil {
		return nil, err
	}
	if err := c.Check(player.game.Spec); err != nil {
		return nil, err
	}
	options, err := think.Model(c, model.Best)
	if err != nil {
		return nil, err
	}
	player.checkpoint = c
	player.thinker = think.New(player.game.NewSearch, player.game.Spec, options)
	return map[string]any{
		"game": c.Game, "model": c.Name, "hash": c.Hash(), "step": c.Step,
		"network": c.Sizes(), "program": c.ProgramVersion,
	}, nil
}

// start returns the first position of a game; the seed decides what is dealt.
func start(args []js.Value) (any, error) {
	return analysis.Illustrate(player.game.Name, player.game.Start(rand.New(rand.NewPCG(uint64(args[0].Int()), 0)))), nil
}

// state returns the position after some actions: the first argument is a position, the
// others are actions, all as text.
func state(args []js.Value) (any, error) {
	p, err := player.game.Parse(args[0].String())
	for _, a := range args[1:] {
		if err != nil {
			return nil, err
		}
		var action engine.Action
		if action, err = engine.ParseAction(p, a.String()); err == nil {
			p = p.Play(action)
		}
	}
	if err != nil {
		return nil, err
	}
	return analysis.Illustrate(player.game.Name, p), nil
}

// search searches a position until the root has a number of visits, or for a number of
// milliseconds, and returns what it has found so far. Called again it continues.
func search(args []js.Value) (any, error) {
	visits, slice := args[1].Int(), time.Duration(args[2].Int())*time.Millisecond
	p, err := player.game.Parse(args[0].String())
	if err != nil {
		return nil, err
	}
	if p.Outcome() != engine.Ongoing {
		return nil, fmt.Errorf("the game is over")
	}
	t := player.thinker
	began := time.Now()
	why, err := t.Think(context.Background(), p, think.Budget{Visits: visits, Time: slice})
	if err != nil {
		return nil, err
	}
	return struct {
		analysis.Thought
		Simulations int     `json:"made"` // of this call
		Seconds     float64 `json:"seconds"`
		Done        bool    `json:"done"`
	}{analysis.Summarise(t.Search, player.game.Actions), t.Simulations, time.Since(began).Seconds(), why != think.Time}, nil
}
