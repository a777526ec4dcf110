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

// An argument is a word that follows a verb.
type argument struct {
	name  string               // in the line of usage and in errors, such as MODEL|RUN
	need  need                 // whether it may be missing
	many  bool                 // it is the last one, and more of it may follow
	offer cobra.CompletionFunc // what a shell offers for it; nil: nothing
}

// need says whether an argument may be missing.
type need int

const (
	required  need = iota
	optional       // it may be missing, and then the arguments after it are missing too
	skippable      // it may be missing, and others may follow all the same
)

// arguments are those of a verb, in their order. The end of the verb's line of usage, the check of
// the number of arguments, and what shells complete follow from them.
type arguments []argument

// of gives a verb the arguments. A check that the verb has itself stays.
func (list arguments) of(verb *cobra.Command) *cobra.Command {
	verb.Use += list.usage()
	if verb.Args == nil {
		verb.Args = list.check
	}
	verb.ValidArgsFunction = list.complete
	return verb
}

// usage is the list as help shows it, such as " GAME [POSITION [ACTION…]]".
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

// check is an error if there are too few words or too many.
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
		return usagef("%s takes no argument, and is given %q", cmd.Name(), words[0])
	}
	return usagef("%q is one argument too many for: %s", words[len(list)], cmd.Use)
}

// at returns the argument that word i is; nil if it is one too many.
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

// complete is what a shell offers for the word after some others.
func (list arguments) complete(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
	if arg := list.at(len(before)); arg != nil && arg.offer != nil {
		return arg.offer(cmd, before, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// What arguments and flags can be.
var (
	aFile   = offering(cobra.ShellCompDirectiveDefault)
	aGame   = offering(cobra.ShellCompDirectiveNoFileComp, games.Names)
	aModel  = offering(cobra.ShellCompDirectiveDefault, runs, boxed)
	aRun    = offering(cobra.ShellCompDirectiveDefault, runs)
	aPlayer = player(arena.Prefixes, runs)
)

// offering offers the words of lists, and what more says.
func offering(more cobra.ShellCompDirective, lists ...func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) (all []string, _ cobra.ShellCompDirective) {
		for _, list := range lists {
			all = append(all, list()...)
		}
		return all, more
	}
}

// player offers the players of lists or, after box:, the bots in the box.
func player(lists ...func() []string) cobra.CompletionFunc {
	const more = cobra.ShellCompDirectiveNoSpace // after a colon the user types
	named, bots := offering(more, lists...), offering(more, boxed)
	return func(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.HasPrefix(typed, box.BoxPrefix) {
			return bots(cmd, before, typed)
		}
		return named(cmd, before, typed)
	}
}

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

// offer has shells complete the values of a flag.
func offer(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, values) // it is a flag of this command, and has no values yet
}

// unknown is the error for a word that names no verb of cmd.
func unknown(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("unknown command %q for %q", word, cmd.CommandPath())
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		text += "; did you mean " + strings.Join(like, " or ")
	}
	return usageError{errors.New(text)}
}

// onlyVerbs is the check of a command that has verbs and takes no arguments.
func onlyVerbs(cmd *cobra.Command, words []string) error {
	if len(words) > 0 {
		return unknown(cmd, words[0])
	}
	return nil
}

// mistyped returns the error for words that cobra finds no verb for; nil if it finds one.
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

// builtIn adds to root the verbs completion and help, and has them check their words. The root must
// know its output.
func builtIn(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd(args...)
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Args = onlyVerbs
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() } // without it cobra does not look at Args
			for _, shell := range cmd.Commands() {
				shell.Args = onlyVerbs
			}
		case "help":
			cmd.Args = func(cmd *cobra.Command, words []string) error { return mistyped(cmd.Root(), words) }
		}
	}
}
