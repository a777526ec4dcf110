package cli

import (
	"slices"

	"dojo.example/cluster/wire"
	"dojo.example/internal/flags"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// processFlags are those flags of "dojo train" and of its stages that describe the process, not the
// run. A command that continues the run should repeat them. The values contain no secrets, except
// for the login in --nats.
var processFlags = []string{
	"listen", "nats", "token-file", "nats-creds", "nats-nkey", "tls-ca", "tls-cert", "tls-key", "insecure", "weight", "verify",
	"metrics", "stay", "serve", "serve-token-file", "host", "base-path", "trusted-proxy",
	"workers", "memory", "log-format", "log-level",
}

// givenFlags returns those processFlags that the user gave, in the user's order and without secrets.
// Messages that suggest a command add these flags to it.
func givenFlags(cmd *cobra.Command) (given []string) {
	set := cmd.Flags()
	defer func(sorted bool) { set.SortFlags = sorted }(set.SortFlags)
	set.SortFlags = false // Visit then keeps the user's order
	set.Visit(func(f *pflag.Flag) {
		if !slices.Contains(processFlags, f.Name) {
			return
		}
		name, texts := "--"+f.Name, []string{flags.Text(f)}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			texts = list.GetSlice()
		}
		for _, text := range texts {
			switch {
			case f.NoOptDefVal == "" && f.Name == "nats":
				given = append(given, name, wire.WithoutLogin(text))
			case f.NoOptDefVal == "":
				given = append(given, name, text)
			case text == f.NoOptDefVal:
				given = append(given, name)
			default: // without "=", the text would not be the value
				given = append(given, name+"="+text)
			}
		}
	})
	return given
}
