package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/play/terminal"

	"github.com/spf13/cobra"
)

// offer has shells complete a word of a list, and what more says.
func offer(list func() []string, more cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return list(), more }
}

// complete tells shells what the arguments, in order, and the flags of cmd and of the commands below
// it can be. It is one list, so that what is offered for the same thing is the same everywhere.
func complete(cmd *cobra.Command) {
	only := func(list func() []string) cobra.CompletionFunc {
		return offer(list, cobra.ShellCompDirectiveNoFileComp)
	}
	orFile := func(list func() []string) cobra.CompletionFunc { return offer(list, cobra.ShellCompDirectiveDefault) }
	preset, named, game := orFile(configs.Names), orFile(modelNames), only(games.Names)
	player := playerOf(players)
	orHuman := playerOf(func() []string { return append([]string{terminal.Human}, players()...) })
	type places = []cobra.CompletionFunc
	all := map[string]places{
		"train": {preset}, "selfplay": {preset}, "fit": {preset}, "gate": {preset},
		"bot": {named}, "evaluate": {named}, "distil": {named}, "export": {named}, "inspect": {named}, "puzzles": {orFile(runs)}, "verify": {named}, "analyse": {named},
		"serve": {orFile(runs)}, "report": {orFile(runs)}, "review": {orFile(func() []string { return nil }), named}, "match": {player, player},
		"play": {game, named}, "show": {game}, "perft": {game}, "solve": {game},
	}[cmd.Name()]
	if all != nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(before) >= len(all) && !strings.Contains(cmd.Use, "RUN…") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return all[min(len(before), len(all)-1)](cmd, before, typed)
		}
	}
	for name, f := range map[string]cobra.CompletionFunc{
		"run": named, "samples": named, "game": game, "as": only(formNames), "protocol": only(protocolNames),
		"first": orHuman, "second": orHuman, "against": player, "player": player,
	} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, f) // nothing has been registered for the flag before
		}
	}
	for _, c := range cmd.Commands() {
		complete(c)
	}
}

// playerOf completes a player: one of a list or, after box:, a bot in the box.
func playerOf(list func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.HasPrefix(typed, box.BoxPrefix) {
			return boxed(), cobra.ShellCompDirectiveNoSpace
		}
		return list(), cobra.ShellCompDirectiveNoSpace // after a colon the user types
	}
}

// checkBuiltIn makes words that cobra's own verbs do not know an error. It adds these verbs,
// completion and help, to root, which must know its output.
func checkBuiltIn(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd(args...)
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() } // without it cobra does not look at Args
		case "help":
			cmd.Args = func(cmd *cobra.Command, args []string) error {
				_, _, err := cmd.Root().Find(args)
				return err
			}
		}
	}
}

// modelNames are the runs in runs/ and the bots in the box, besides files.
func modelNames() []string { return append(runs(), boxed()...) }

// boxed are the bots in the box.
func boxed() (list []string) {
	for _, game := range box.Games() {
		list = append(list, box.BoxPrefix+game)
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
