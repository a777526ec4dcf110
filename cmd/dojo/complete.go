package main

import (
	"os"
	"path/filepath"
	"slices"

	"dojo/arena"
	"dojo/configs"
	"dojo/games"
	"dojo/internal/complete"
	"dojo/model"
	"dojo/models"
	"dojo/play/terminal"

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
	preset, model, game := orFile(configs.Names), orFile(modelNames), only(games.Names)
	manyRuns := complete.Offer{Words: runs, Repeats: true}
	player := complete.Offer{Words: players, More: cobra.ShellCompDirectiveNoSpace} // after a colon the user types
	orHuman := player
	orHuman.Words = func() []string { return append([]string{terminal.Human}, players()...) }
	type places = []complete.Offer
	return complete.Offers{
		Arguments: map[string]places{
			"train": {preset}, "selfplay": {preset}, "fit": {preset}, "gate": {preset},
			"bot": {model}, "evaluate": {model}, "distil": {model}, "export": {model}, "inspect": {model}, "analyse": {model},
			"serve": {manyRuns}, "report": {manyRuns}, "review": {orFile(nil), model}, "match": {player, player},
			"play": {game, model}, "show": {game}, "perft": {game}, "solve": {game},
		},
		Flags: map[string]complete.Offer{
			"run": model, "samples": model, "game": game, "as": only(formNames), "kind": only(networkKinds), "protocol": only(protocolNames),
			"first": orHuman, "second": orHuman, "against": player, "player": player,
		},
	}
}

// networkKinds are the kinds of networks.
func networkKinds() []string { return []string{string(model.Sparse), string(model.Residual)} }

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
		for _, p := range g.AllProtocols() {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
