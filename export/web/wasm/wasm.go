//go:build js && wasm

// Package wasm runs the bot in a browser: dojo.Main calls it in a program built for js/wasm. It
// runs in a web worker. The page calls its functions (see serve/web/src/backend), whose arguments
// and results are text. The functions of play.Answers take a play.Question as JSON.
package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/model/kernel"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// player holds the bot that plays in the page.
var player struct {
	game    games.Entry
	thinker *think.Thinker
	options think.Options
}

// Main makes the functions available to the page. It never returns.
func Main() {
	export("load", load)
	for name, f := range play.Answers {
		export(name, func(args []js.Value) (any, error) {
			var q play.Question
			if err := json.Unmarshal([]byte(args[0].String()), &q); err != nil {
				return nil, err
			}
			game, err := games.ByName(q.Game)
			if err != nil {
				return nil, err
			}
			return f(game.Game.Game, q)
		})
	}
	export("analyse", analyse)
	js.Global().Call("dojo_ready")
	select {}
}

// export makes f available in the worker as the function dojo_NAME. The page gets the result of f
// as JSON, or an error as {"error": …}.
func export(name string, f func(args []js.Value) (any, error)) {
	js.Global().Set("dojo_"+name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := f(args)
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		text, err := json.Marshal(result)
		if err != nil {
			panic(err) // impossible: JSON can encode all results
		}
		return string(text)
	}))
}

// load selects the model that plays. args[0] is the checkpoint, an array of bytes.
func load(args []js.Value) (any, error) {
	data := make([]byte, args[0].Length())
	js.CopyBytesToGo(data, args[0])
	c, err := model.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if player.game, err = games.Of(c); err != nil {
		return nil, err
	}
	options, err := think.Model(c, model.Best)
	if err != nil {
		return nil, err
	}
	player.thinker, player.options = think.New(player.game.Game, options), options
	return play.Model{
		Name: c.Name, Game: c.Game, About: "hash " + c.Hash() + ", " + c.Sizes(), Kernels: kernel.QuantName(),
		Usual: player.game.Usual != nil, Title: player.game.Titles(),
	}, nil
}

// analyse searches the position args[0] and returns the result so far. The search ends when the
// root has args[1] visits (0 for no limit), or after args[2] milliseconds. A later call with the
// same position continues the search.
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
	thought := analysis.Summarise(t.Search, player.game.Actions)
	if err := thought.Expect(player.options, p); err != nil {
		return nil, err
	}
	return analysis.Growth{
		Thought: thought, Position: p.String(), Made: t.Simulations, Seconds: time.Since(began).Seconds(),
		Done: why != think.Time, // if false, the page calls again to continue the search
	}, nil
}
