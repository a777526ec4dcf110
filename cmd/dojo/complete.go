package main

import (
	"os"
	"path/filepath"

	"dojo/arena"
	"dojo/configs"
	"dojo/games"
	"dojo/model"
	"dojo/models"

	"github.com/spf13/cobra"
)

// offers is what the shell offers to complete an argument, given the arguments
// before it.
type offers = func(before []string) ([]string, cobra.ShellCompDirective)

// complete tells every verb what its arguments and flags can be. It is one
// list, so that what is offered for the same thing is the same everywhere.
func complete(root *cobra.Command) {
	arguments := map[string]offers{
		"train": presets, "selfplay": presets, "fit": presets, "gate": presets,
		"bot": modelNames, "evaluate": modelNames, "distil": modelNames, "export": modelNames, "inspect": modelNames, "serve": manyRuns, "report": manyRuns,
		"analyse": modelNames, "review": recordAndModel,
		"match": players, "play": gameAndModel, "show": gameFirst, "perft": gameFirst, "solve": gameFirst,
	}
	flags := map[string]offers{
		"run": modelNames, "samples": modelNames, "game": gameNames, "as": exportForms, "kind": networkKinds, "protocol": protocolNames,
		"first": playersAndHuman, "second": playersAndHuman, "against": players,
		"player": players,
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if offer, ok := arguments[cmd.Name()]; ok {
			cmd.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
				return offer(before)
			}
		}
		for name, offer := range flags {
			if cmd.Flags().Lookup(name) != nil {
				// Nothing has been registered for the flag before.
				_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
					return offer(nil)
				})
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
}

// completeVerbs adds cobra's verbs completion and help, which must know root's output, and makes
// a word that they do not know an error.
func completeVerbs(root *cobra.Command, args []string) {
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

// networkKinds are the kinds of networks.
func networkKinds([]string) ([]string, cobra.ShellCompDirective) {
	return []string{string(model.Sparse), string(model.Residual)}, cobra.ShellCompDirectiveNoFileComp
}

// presets are the presets, besides files of the user's own.
func presets(before []string) ([]string, cobra.ShellCompDirective) {
	if len(before) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return configs.Names(), cobra.ShellCompDirectiveDefault
}

// modelNames are the runs in runs/ and the bots in the box, besides files.
func modelNames(before []string) ([]string, cobra.ShellCompDirective) {
	if len(before) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list := runs()
	for _, game := range models.Games() {
		list = append(list, boxPrefix+game)
	}
	return list, cobra.ShellCompDirectiveDefault
}

// manyRuns are the same for verbs that take any number of them.
func manyRuns([]string) ([]string, cobra.ShellCompDirective) {
	return runs(), cobra.ShellCompDirectiveDefault
}

// runs are the runs where train makes them unless it is told otherwise.
func runs() (list []string) {
	entries, err := os.ReadDir("runs")
	if err != nil {
		return nil // there are none
	}
	for _, e := range entries {
		if dir := filepath.Join("runs", e.Name()); e.IsDir() {
			list = append(list, dir)
		}
	}
	return list
}

// players are the forms of players, what follows their colon to be typed.
func players(before []string) ([]string, cobra.ShellCompDirective) {
	if len(before) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(arena.Prefixes(), runs()...), cobra.ShellCompDirectiveNoSpace
}

func playersAndHuman([]string) ([]string, cobra.ShellCompDirective) {
	list, directive := players(nil)
	return append([]string{human}, list...), directive
}

func gameNames([]string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, g := range games.All {
		names = append(names, g.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// gameFirst is a game and then something that only the user knows.
func gameFirst(before []string) ([]string, cobra.ShellCompDirective) {
	if len(before) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return gameNames(nil)
}

func gameAndModel(before []string) ([]string, cobra.ShellCompDirective) {
	if len(before) == 0 {
		return gameNames(nil)
	}
	return modelNames(before[1:])
}

// recordAndModel is a file, and then a model.
func recordAndModel(before []string) ([]string, cobra.ShellCompDirective) {
	if len(before) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return modelNames(before[1:])
}

func exportForms([]string) ([]string, cobra.ShellCompDirective) {
	return formNames(), cobra.ShellCompDirectiveNoFileComp
}

// protocolNames are the protocols of any game.
func protocolNames([]string) ([]string, cobra.ShellCompDirective) {
	var names []string
	seen := map[string]bool{}
	for _, g := range games.All {
		for _, p := range protocolsOf(g) {
			if !seen[p.Name] {
				names, seen[p.Name] = append(names, p.Name), true
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
