// Package complete tells shells what the arguments and flags of commands can be.
package complete

import "github.com/spf13/cobra"

// An Offer is what one argument can be.
type Offer struct {
	Words   func() []string // nil for what only the user knows
	More    cobra.ShellCompDirective
	Repeats bool // the arguments after it can be the same
}

// words returns the offer as cobra asks for it.
func (o Offer) words() ([]string, cobra.ShellCompDirective) {
	if o.Words == nil {
		return nil, o.More
	}
	return o.Words(), o.More
}

// Offers has the offers for the arguments of commands, in order, and for flags, by their names.
type Offers struct {
	Arguments map[string][]Offer
	Flags     map[string]Offer
}

// Register registers the offers for cmd and the commands below it.
func (o Offers) Register(cmd *cobra.Command) {
	if places := o.Arguments[cmd.Name()]; places != nil {
		cmd.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
			offer := places[min(len(before), len(places)-1)]
			if len(before) >= len(places) && !offer.Repeats {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer.words()
		}
	}
	for name, offer := range o.Flags {
		if cmd.Flags().Lookup(name) != nil {
			// Nothing has been registered for the flag before.
			_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return offer.words()
			})
		}
	}
	for _, c := range cmd.Commands() {
		o.Register(c)
	}
}

// Check makes words that cobra's own verbs do not know an error. It adds these verbs, completion
// and help, to root, which must know its output.
func Check(root *cobra.Command, args []string) {
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
