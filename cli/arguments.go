package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/games/box"

	"github.com/spf13/cobra"
)

// An argument describes a positional argument of a verb.
type argument struct {
	name  string               // name in the usage line and in errors, such as MODEL|RUN
	need  need                 // whether the argument may be missing
	many  bool                 // whether it may be repeated; only the last argument may
	offer cobra.CompletionFunc // completions that the shell offers; nil for none
}

// need says whether an argument may be left out.
type need int

const (
	required  need = iota
	optional       // may be left out; then all later arguments are missing too
	skippable      // may be left out although later arguments are given
)

// arguments lists the arguments of a verb in order. It determines the usage line, the allowed
// number of arguments and the shell completion.
type arguments []argument

// of adds the arguments to a verb and returns the verb. If the verb already has its own check of
// the arguments (verb.Args), that check is kept.
func (list arguments) of(verb *cobra.Command) *cobra.Command {
	verb.Use += list.usage()
	if verb.Args == nil {
		verb.Args = list.check
	}
	verb.ValidArgsFunction = list.complete
	return verb
}

// usage formats the list for the usage line in the help, for example as " GAME [POSITION
// [ACTION…]]".
func (list arguments) usage() string {
	text, end := "", ""
	for _, arg := range list {
		name := arg.name
		if arg.many {
			name += "…"
		}
		switch arg.need {
		case optional:
			name, end = "["+name, end+"]"
		case skippable:
			name = "[" + name + "]"
		}
		text += " " + name
	}
	return text + end
}

// check returns an error if the command line has too few or too many arguments.
func (list arguments) check(cmd *cobra.Command, words []string) error {
	var missing []string
	for _, arg := range list[min(len(words), len(list)):] {
		if arg.need == required {
			missing = append(missing, strings.ReplaceAll(arg.name, "|", " or "))
		}
	}
	switch last := len(missing) - 1; {
	case last == 0:
		return usagef("%s is missing", missing[0])
	case last > 0:
		return usagef("%s and %s are missing", strings.Join(missing[:last], ", "), missing[last])
	case list.at(len(words)-1) != nil || len(words) == 0:
		return nil
	case len(list) == 0:
		return usagef("%s takes no arguments, but got %q", cmd.Name(), words[0])
	}
	return usagef("unexpected argument %q; the usage is: %s", words[len(list)], cmd.Use)
}

// at returns the argument to which word i of the command line belongs, or nil if there are too many
// words.
func (list arguments) at(i int) *argument {
	last := len(list) - 1
	if i > last && last >= 0 && list[last].many {
		i = last
	}
	if i < 0 || i > last {
		return nil
	}
	return &list[i]
}

// complete returns the completions of the word that the user has begun to type, after the words in
// before.
func (list arguments) complete(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
	if arg := list.at(len(before)); arg != nil && arg.offer != nil {
		return arg.offer(cmd, before, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// Completions for the values of arguments and flags.
var (
	aFile   = offering(cobra.ShellCompDirectiveDefault)
	aGame   = offering(cobra.ShellCompDirectiveNoFileComp, games.Names)
	aModel  = offering(cobra.ShellCompDirectiveDefault, runs, boxed)
	aRun    = offering(cobra.ShellCompDirectiveDefault, runs)
	aPlayer = player(arena.Prefixes, runs)
)

// offering returns a completion function that offers all words that the functions in lists return.
// The directive more tells the shell what to do after a completed word.
func offering(more cobra.ShellCompDirective, lists ...func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (all []string, _ cobra.ShellCompDirective) {
		for _, list := range lists {
			all = append(all, list()...)
		}
		return all, more
	}
}

// player returns a completion function that offers all players that the functions in lists return.
// If the user has typed "box:", it offers the built-in bots instead.
func player(lists ...func() []string) cobra.CompletionFunc {
	// After a completed word, the shell must add no space: "mcts:", for example, must be followed
	// by a number.
	const more = cobra.ShellCompDirectiveNoSpace
	named, bots := offering(more, lists...), offering(more, boxed)
	return func(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.HasPrefix(typed, box.BoxPrefix) {
			return bots(cmd, before, typed)
		}
		return named(cmd, before, typed)
	}
}

// boxed returns the names of the built-in bots, such as box:onitama.
func boxed() (list []string) {
	for _, game := range box.Games() {
		list = append(list, box.BoxPrefix+game)
	}
	return list
}

// runs returns the run folders inside the folder "runs", the default place for runs.
func runs() (list []string) {
	entries, _ := os.ReadDir("runs") // a missing folder has no runs
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join("runs", e.Name()))
		}
	}
	return list
}

// offer sets the shell completion for the values of a flag.
func offer(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, values) // fails only for an unknown flag or a second call
}

// unknown returns the error to show if word is not a verb of cmd. The error suggests similar verbs.
func unknown(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("unknown command %q for %q", word, cmd.CommandPath())
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		text += "; perhaps you mean " + strings.Join(like, " or ")
	}
	return usageError{errors.New(text)}
}

// onlyVerbs checks the command line of a command that must be followed by a verb and takes no
// arguments of its own.
func onlyVerbs(cmd *cobra.Command, words []string) error {
	if len(words) > 0 {
		return unknown(cmd, words[0])
	}
	return nil
}

// mistyped returns an error if the first words of a command line are not a verb of root.
func mistyped(root *cobra.Command, words []string) error {
	_, _, err := root.Find(words)
	if err == nil {
		return nil
	}
	for _, word := range words {
		if flag := len(word) > 1 && word[0] == '-'; word != "" && !flag {
			return unknown(root, word)
		}
	}
	return usageError{err}
}

// builtIn adds cobra's own verbs, "completion" and "help", to root. It makes them reject wrong
// arguments, which they do not by default. The caller must set the output of root first.
func builtIn(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd(args...)
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Args = onlyVerbs
			// cobra checks Args only if RunE is set, so set it.
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Args = onlyVerbs
			}
		case "help":
			cmd.Args = func(cmd *cobra.Command, words []string) error { return mistyped(cmd.Root(), words) }
		}
	}
}
