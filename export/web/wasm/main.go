//go:build js && wasm

// The program wasm is the bot in a browser. It runs in a web worker and has functions,
// for the page to call, that take and return text; web/src/backend calls them.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"syscall/js"
	"time"

	"dojo.example/analysis"
	"dojo.example/docs"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/model/kernel"
	"dojo.example/play"
	"dojo.example/think"
)

// player is the bot that the page plays with.
var player struct {
	checkpoint *model.Checkpoint
	game       games.Entry
	thinker    *think.Thinker
}

func main() {
	export("load", load)
	export("rules", rules)
	export("start", start)
	export("follow", followed(func(g play.Game) any { return g.Show() })) // its positions
	export("read", read)
	export("write", followed(func(g play.Game) any { return g.String() })) // its text
	export("analyse", analyse)
	js.Global().Call("dojo_ready")
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
	player.thinker = think.New(player.game.Game, options)
	return map[string]any{
		"game": c.Game, "model": c.Name, "hash": c.Hash(), "step": c.Step,
		"network": c.Sizes(), "program": c.ProgramVersion,
		"kernels": kernel.QuantName(), "usual": player.game.Usual != nil,
	}, nil
}

// rules returns the text of a game's rules.
func rules(args []js.Value) (any, error) {
	return docs.Rules(args[0].String())
}

// start returns the first position of a game. Its second argument, the seed, decides
// what is dealt; with the third, a boolean, it is the usual start if the game has one.
func start(args []js.Value) (any, error) {
	game, err := games.ByName(args[0].String())
	if err != nil {
		return nil, err
	}
	first := game.Start
	if args[2].Bool() {
		first = game.FirstPosition
	}
	return analysis.Illustrate(game.Name, first(rand.New(rand.NewPCG(uint64(args[1].Int()), 0)))), nil
}

// followed makes a function of one of a game: its arguments are the name of the game, a
// position and the actions played from there.
func followed(answer func(play.Game) any) func(args []js.Value) (any, error) {
	return func(args []js.Value) (any, error) {
		game, err := games.ByName(args[0].String())
		if err != nil {
			return nil, err
		}
		var actions []string
		for _, a := range args[2:] {
			actions = append(actions, a.String())
		}
		g, err := play.Follow(game.Game.Game, args[1].String(), actions)
		if err != nil {
			return nil, err
		}
		return answer(g), nil
	}
}

// read returns the positions of a game that was saved as text: its arguments are the
// name of the game and the text.
func read(args []js.Value) (any, error) {
	game, err := games.ByName(args[0].String())
	if err != nil {
		return nil, err
	}
	g, err := play.Read(game.Game.Game, args[1].String())
	if err != nil {
		return nil, err
	}
	return g.Show(), nil
}

// analyse searches a position until the root has a number of visits (0: no limit), or
// for a number of milliseconds, and returns what it has found so far. Called again it
// continues.
func analyse(args []js.Value) (any, error) {
	visits, slice := args[1].Int(), time.Duration(args[2].Float()*float64(time.Millisecond))
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
		Position    string  `json:"position"`
		Simulations int     `json:"made"`    // in this call
		Seconds     float64 `json:"seconds"` // of this call
		Done        bool    `json:"done"`    // no further call would find more
	}{analysis.Summarise(t.Search, player.game.Actions), p.String(), t.Simulations, time.Since(began).Seconds(), why != think.Time}, nil
}
