package cli

import (
	"os"
	"path/filepath"
	"slices"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/games"
	"dojo.example/internal/complete"
	"dojo.example/model"
	"dojo.example/models"
	"dojo.example/play/terminal"

	"github.com/spf13/cobra"
)

// offers tells what the arguments and flags of every verb can be. It is one list, so that what is
// offered for the same thing is the same everywhere.
func offers() complete.Offers {
	only := func(words func() []string) complete.Offer {
		return complete.Offer{Words: words, More: cobra.ShellCompDirectiveNoFileComp}
	}
	orFile := func(words func() []string) complete.Offer {
		return complete.Offer{Words: words, More: cobra.ShellCompDirectiveDefault}
	}
	preset, named, game := orFile(configs.Names), orFile(modelNames), only(games.Names)
	manyRuns := complete.Offer{Words: runs, Repeats: true}
	player := complete.Offer{Words: players, More: cobra.ShellCompDirectiveNoSpace} // after a colon the user types
	orHuman := player
	orHuman.Words = func() []string { return append([]string{terminal.Human}, players()...) }
	type places = []complete.Offer
	return complete.Offers{
		Arguments: map[string]places{
			"train": {preset}, "selfplay": {preset}, "fit": {preset}, "gate": {preset},
			"bot": {named}, "evaluate": {named}, "distil": {named}, "export": {named}, "inspect": {named}, "puzzles": {orFile(runs)}, "verify": {named}, "analyse": {named},
			"serve": {manyRuns}, "report": {manyRuns}, "review": {orFile(nil), named}, "match": {player, player},
			"play": {game, named}, "show": {game}, "perft": {game}, "solve": {game},
		},
		Flags: map[string]complete.Offer{
			"run": named, "samples": named, "game": game, "as": only(formNames), "kind": only(model.Kinds), "protocol": only(protocolNames),
			"first": orHuman, "second": orHuman, "against": player, "player": player,
		},
	}
}

// modelNames are the runs in runs/ and the bots in the box, besides files.
func modelNames() []string {
	list := runs()
	for _, game := range models.Games() {
		list = append(list, models.BoxPrefix+game)
	}
	return list
}

// runs are the runs where train makes them unless it is told otherwise.
func runs() (list []string) {
	entries, _ := os.ReadDir("runs") // without it there are none
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join("runs", e.Name()))
		}
	}
	return list
}

// players are the forms of players.
func players() []string { return append(arena.Prefixes(), runs()...) }

// protocolNames are the protocols of any game.
func protocolNames() (names []string) {
	for _, g := range games.All {
		names = append(names, g.ProtocolNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
