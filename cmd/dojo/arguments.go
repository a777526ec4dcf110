package main

import (
	"errors"
	"regexp"
	"strings"

	"dojo/arena"
	"dojo/bench"
	"dojo/configs"
	"dojo/games"
	"dojo/play/terminal"

	"github.com/spf13/cobra"
)

// checkArguments has every verb below root check the number of its arguments by its
// line of usage, unless it has a check of its own. A program that carries a model need
// not be told one.
func (a *app) checkArguments(root *cobra.Command) {
	if a.carried != nil {
		root.Use = carriedModels.ReplaceAllString(root.Use, "[$0]")
	}
	if root.Args == nil && (!root.HasSubCommands() || root.RunE != nil && a.carried != nil) {
		root.Args = positional
	}
	for _, cmd := range root.Commands() {
		a.checkArguments(cmd)
	}
}

// carriedModels are the arguments that a program which carries a model need not be told.
var carriedModels = regexp.MustCompile(`\b(MODEL\|RUN|MODEL|TEACHER|GAME \[MODEL\])$`)

// positional checks the number of arguments by the line of usage: in
// "play GAME [MODEL]" the second may be missing, in "report RUN…" there may be more.
func positional(cmd *cobra.Command, args []string) error {
	words := strings.Fields(cmd.Use)[1:]
	var missing []string
	for i, word := range words {
		if strings.HasPrefix(word, "-") { // flags
			words = words[:i]
			break
		}
		if !strings.HasPrefix(word, "[") && i >= len(args) {
			missing = append(missing, strings.NewReplacer("…", "", "|", " or ").Replace(word))
		}
	}
	many := strings.Contains(strings.Join(words, " "), "…")
	switch {
	case len(missing) == 1:
		return usagef("%s is missing", missing[0])
	case len(missing) > 1:
		last := len(missing) - 1
		return usagef("%s and %s are missing", strings.Join(missing[:last], ", "), missing[last])
	case many || len(args) <= len(words):
		return nil
	case len(words) == 0:
		return usagef("%s takes no argument, and is given %q", cmd.Name(), args[0])
	}
	return usagef("%q is one argument too many for: %s", args[len(words)], cmd.Use)
}

// gameNamed is the game that a user has named.
func gameNamed(name string) (games.Entry, error) {
	game, err := games.ByName(name)
	if err != nil {
		return game, usageError{err}
	}
	return game, nil
}

// noHuman is an error if a person is to play where only programs do.
func noHuman(verb, game string, players ...string) error {
	for _, p := range players {
		if p != terminal.Human {
			continue
		}
		if game == "" {
			game = "GAME"
		}
		return usagef("in %s only programs play; a person plays in: %s", verb, command("play", game))
	}
	return nil
}

// misspelt reports whether an error is about a word that the command line should not
// have: exit status 2 and not 1.
func misspelt(err error) bool {
	return errors.As(err, new(usageError)) || errors.As(err, new(arena.NameError)) || errors.As(err, new(configs.NameError)) || errors.As(err, new(bench.NameError))
}
