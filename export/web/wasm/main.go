//go:build js && wasm

// The program wasm is the bot in a browser: it runs in a worker and gives the
// page functions that take and return text.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"syscall/js"
	"time"

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

// export makes f a function of the worker: whatever it returns goes over as
// JSON, an error as {"error": …}.
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

// load takes the bytes of a checkpoint.
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
	player.checkpoint = c
	player.thinker = think.New(player.game.NewSearch, player.game.Spec, think.Model(c))
	return map[string]any{
		"game": c.Game, "model": c.Name, "hash": c.Hash(), "step": c.Step,
		"channels": c.Channels, "blocks": c.Blocks, "program": c.ProgramVersion,
	}, nil
}

// start deals with a seed.
func start(args []js.Value) (any, error) {
	return describe(player.game.Start(rand.New(rand.NewPCG(uint64(args[0].Int()), 0)))), nil
}

// state reads a position and plays actions from it.
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
	return describe(p), nil
}

// describe is all that the page shows of a position.
func describe(p engine.Position) any {
	d := map[string]any{"position": p.String(), "to_move": p.ToMove().String(), "outcome": p.Outcome().String(), "legal": names(p, p.Legal(nil))}
	if s, ok := p.State().(engine.Scorer); ok {
		first, second := s.Score()
		d["score"] = [2]int{first, second}
	}
	if s, ok := p.State().(engine.Sketcher); ok {
		d["sketch"] = s.Sketch()
	}
	if s, ok := p.State().(engine.Drawer); ok {
		d["drawing"] = s.Draw()
	}
	return d
}

func names(p engine.Position, actions []engine.Action) []string {
	list := []string{}
	for _, a := range actions {
		list = append(list, p.ActionString(a))
	}
	return list
}

// search searches a position to a number of visits, for some milliseconds at
// most, and says what it has found so far. Asked again it goes on.
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
	type choice struct {
		Action string  `json:"action"`
		Visits int     `json:"visits"`
		Prior  float32 `json:"prior"`
		Value  float32 `json:"value"` // from First's side
	}
	var choices []choice
	for _, e := range t.Search.Edges(nil) {
		choices = append(choices, choice{p.ActionString(e.Action), e.Visits, e.Prior, e.Value})
	}
	return map[string]any{
		"made": t.Made, "seconds": time.Since(began).Seconds(),
		"done": why != think.Time, "visits": t.Search.Visits(), "value": t.Search.Value(),
		"move": p.ActionString(t.Search.Choose(0)), "choices": choices,
	}, nil
}
