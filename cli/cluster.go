package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"dojo.example/arena"
	"dojo.example/cluster/hub"
	"dojo.example/internal/flags"

	"github.com/spf13/cobra"
)

// clusterFlags are the flags that let workers on other machines join.
type clusterFlags struct {
	access
	verify float64 // fraction of the workers' results to recompute; see registerVerify
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Listen, "listen", "", "let workers on other machines join at HOST:PORT, e.g. 127.0.0.1:4222")
	cmd.Flags().StringVar(&f.NATS, "nats", "", "let workers join through this NATS server, e.g. tls://host:4222, or through a cluster of several, separated by commas")
	secretFlags(cmd, &f.Secret, "token that workers need to join (default: a random one, unless --listen is on loopback), or USER:PASSWORD for --nats")
	f.Login.register(cmd)
	cmd.Flags().StringVar(&f.TLSCert, "tls-cert", "", "encrypt the connections of --listen with the certificate in this file, or log in with it to the server of --nats; needs --tls-key")
	cmd.Flags().StringVar(&f.TLSKey, "tls-key", "", "the file with the private key of --tls-cert")
	tlsFlags(cmd, &f.TLSCA, &f.Insecure, "the server of --nats")
	registerWeight(cmd, &f.Weight)
	flags.Exclude(cmd, "listen", "nats")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !f.on() && cmd.Flags().Changed("verify") {
			return usagef("--verify needs --listen or --nats")
		}
		if err := f.check(); err != nil {
			return usage(err)
		}
		if err := checkWeight(cmd, f.Weight, f.NATS); err != nil {
			return err
		}
		if err := checkPair(f.TLSCert, f.TLSKey); err != nil {
			return usage(err)
		}
		return nil
	}
}

// registerVerify adds --verify to a verb that trains runs.
func (f *clusterFlags) registerVerify(cmd *cobra.Command) {
	flags.Percent(cmd.Flags(), &f.verify, "verify", 0.02, "compute this share of the workers' shards and gate games again, and compare")
}

// secretFlags adds --token and --token-file. The text what describes the token in the help.
func secretFlags(cmd *cobra.Command, to *tokenSource, what string) {
	cmd.Flags().StringVar(&to.Token, "token", "", what+"; other users of this machine can see a token on the command line, but not one in the variable "+tokenVariable+" (PowerShell: $env:"+tokenVariable+`="…")`)
	cmd.Flags().StringVar(&to.File, "token-file", "", "read the token from this file")
	flags.Exclude(cmd, "token", "token-file")
}

// tlsFlags adds --tls-ca and --insecure to a verb that connects to another program. The text other
// describes that program in the help.
func tlsFlags(cmd *cobra.Command, authority *string, insecure *bool, other string) {
	cmd.Flags().StringVar(authority, "tls-ca", "", "encrypt, and trust "+other+" if it shows the certificate in this file or one signed by it")
	cmd.Flags().BoolVar(insecure, "insecure", false, "allow unencrypted connections between machines; anybody who can read the network traffic can then join")
	flags.Exclude(cmd, "tls-ca", "insecure")
}

// hub starts a hub with the options opt and prints how workers can join. The hub logs to stderr and,
// if opt.Dir is set, also to the file log.txt in that folder. If neither --listen nor --nats is
// given, hub returns nil.
func (f *clusterFlags) hub(ctx context.Context, app *app, opt hub.Options) (*hub.Hub, error) {
	if !f.on() {
		return nil, nil
	}
	opt.Verify = f.verify
	file := ""
	if opt.Dir != "" {
		file = filepath.Join(opt.Dir, "log.txt")
	}
	opt.Log = app.logger(file)
	return f.open(ctx, opt, app.invite)
}

// invite prints how workers can join.
func (a *app) invite(i invitation) {
	join := command(append([]string{"worker"}, i.Flags...)...)
	a.say("workers join with: "+join, "workers can join", "command", join)
	if i.Token != "" {
		a.say(fmt.Sprintf("workers need this token, in %s or in a --token-file: %s", tokenVariable, i.Token), "workers need this token", "variable", tokenVariable, "token", i.Token)
	} else if i.Secret {
		a.say(fmt.Sprintf("workers need the trainer's token or login, in %s or in a --token-file", tokenVariable), "workers need the trainer's token or login", "variable", tokenVariable)
	}
}

// portable returns an error if workers can join but cannot run one of the players.
func (f *clusterFlags) portable(players ...string) error {
	if !f.on() {
		return nil
	}
	for _, p := range players {
		if err := arena.Portable(p, arena.Exists); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// helped lets workers join a match and play some of its games, if the flags allow it. The caller
// must call leave after the match.
func (f *clusterFlags) helped(ctx context.Context, app *app, match *arena.Options) (leave func(complete bool), err error) {
	if !f.on() {
		return func(bool) {}, nil
	}
	hub, err := f.openMatches(ctx, match.Game.Name, app.logger(""), app.invite)
	if err != nil {
		return nil, err
	}
	match.Source = hub.PlayMatch
	return hub.Close, nil
}
