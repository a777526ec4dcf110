package analysis_test

import (
	"context"
	"fmt"
	"log"

	"dojo.example/games"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// This example searches a position with random playouts until it is proven. To search with a model,
// use the think.Options that think.Model returns.
func Example() {
	game, err := games.ByName("tictactoe")
	if err != nil {
		log.Fatal(err)
	}
	p, err := game.Parse("xx..o...o")
	if err != nil {
		log.Fatal(err)
	}
	a := analysis.New(game.Game, think.Options{}, analysis.Options{Workers: 1})
	found, err := a.Begin(context.Background(), p, think.Budget{Visits: 200}, 0).Wait()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Move, found.Value, found.Proven)
	// Output: c3 1 first
}
