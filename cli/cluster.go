package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"dojo.example/arena"
	"dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// clusterFlags let other machines do work.
type clusterFlags struct {
	access
	verify float64 // of the shards of a run; see registerVerify

	// given lists the flags that the command line has, to repeat them in the commands that messages
	// name. It leaves out secrets.
	given []string
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Listen, "listen", "", "let workers on other machines join at HOST:PORT, e.g. 127.0.0.1:4222")
	cmd.Flags().StringVar(&f.NATS, "nats", "", "let workers join over this NATS server, e.g. tls://host:4222")
	secretFlags(cmd, &f.Secret, "what a worker must show to join (default: a random one, unless --listen is on loopback), or USER:PASSWORD for --nats")
	cmd.Flags().StringVar(&f.TLSCert, "tls-cert", "", "encrypt with the certificate in this file, for --listen")
	cmd.Flags().StringVar(&f.TLSKey, "tls-key", "", "and with the key in this file")
	tlsFlags(cmd, &f.TLSCA, &f.Insecure, "the server of --nats")
	flags.Exclude(cmd, "listen", "nats")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !f.on() && cmd.Flags().Changed("verify") {
			return usagef("--verify is for --listen and --nats")
		}
		if err := f.check(); err != nil {
			return usage(err)
		}
		if (f.TLSCert == "") != (f.TLSKey == "") {
			return usagef("--tls-cert and --tls-key go together")
		}
		cmd.Flags().Visit(func(g *pflag.Flag) {
			switch g.Name {
			case "listen", "token-file", "tls-ca", "tls-cert", "tls-key":
				f.given = append(f.given, "--"+g.Name, g.Value.String())
			case "verify": // the flag itself only knows its default as text
				f.given = append(f.given, "--verify", strconv.FormatFloat(f.verify*100, 'g', 6, 64)+"%")
			case "nats":
				f.given = append(f.given, "--nats", wire.WithoutLogin(f.NATS))
			}
		})
		if f.Insecure {
			f.given = append(f.given, "--insecure")
		}
		return nil
	}
}

// registerVerify adds the flag of verbs that train runs.
func (f *clusterFlags) registerVerify(cmd *cobra.Command) {
	flags.Percent(cmd.Flags(), &f.verify, "verify", 0.02, "compute this share of the shards and gate games of workers again, and compare")
}

// secretFlags adds the flags that say where a token comes from.
func secretFlags(cmd *cobra.Command, to *tokenSource, what string) {
	cmd.Flags().StringVar(&to.Token, "token", "", what+"; other users of this machine see it here, and not in "+tokenVariable+" (PowerShell: $env:"+tokenVariable+`="…")`)
	cmd.Flags().StringVar(&to.File, "token-file", "", "read the token from this file")
	flags.Exclude(cmd, "token", "token-file")
}

// tlsFlags adds the flags of a program that connects to another.
func tlsFlags(cmd *cobra.Command, authority *string, insecure *bool, other string) {
	cmd.Flags().StringVar(authority, "tls-ca", "", "encrypt, and trust "+other+" if the certificate in this file is its own or signed it")
	cmd.Flags().BoolVar(insecure, "insecure", false, "do without encryption between machines: who can read the network can join")
	flags.Exclude(cmd, "tls-ca", "insecure")
}

// hub starts a hub for the work that the options name, and says how workers join; nil if
// the flags ask for none.
func (f *clusterFlags) hub(ctx context.Context, app *app, opt hub.Options) (*hub.Hub, error) {
	if !f.on() {
		return nil, nil
	}
	opt.Verify = f.verify
	return f.open(ctx, opt, app.stderr, app.invite)
}

// invite says how workers join.
func (a *app) invite(i invitation) {
	fmt.Fprintf(a.stderr, "workers join with: %s\n", command(append([]string{"worker"}, i.Flags...)...))
	if i.Token != "" {
		fmt.Fprintf(a.stderr, "with the token in %s or a --token-file: %s\n", tokenVariable, i.Token)
	} else if i.Secret {
		fmt.Fprintf(a.stderr, "with the trainer's token or login in %s or a --token-file\n", tokenVariable)
	}
}

// portable returns an error for the first player that workers could not play, if the
// flags let workers help.
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

// helped lets workers help with matches of a game, if the flags ask for it, and returns what ends
// that.
func (f *clusterFlags) helped(ctx context.Context, app *app, match *arena.Options) (leave func(complete bool), err error) {
	if !f.on() {
		return func(bool) {}, nil
	}
	hub, err := f.openMatches(ctx, match.Game.Name, app.stderr, app.invite)
	if err != nil {
		return nil, err
	}
	match.Source = hub.PlayMatch
	return hub.Close, nil
}

func (a *app) workerCommand() *cobra.Command {
	var opt worker.Options
	var authority string
	var token tokenSource
	var key string
	cmd := arguments{}.of(&cobra.Command{
		Use:   "worker",
		Short: "Play games of a run that another machine trains",
		Long: `Joins a "dojo train --listen" on another machine, or in another process of this
one, and plays games for it until its run is complete. Any of our systems and
processors will do, as long as the program is the same: a worker first plays two
short games, and is let in if they are the trainer's bit for bit.

A worker may be killed at any time, and any number may join and leave: the run's
files stay the same. While the trainer is away, a worker waits for it: for ever,
or as long as --wait says. It plays games of "dojo match", "dojo evaluate" and
"dojo sweep" with --listen as well; of a match or an evaluation it ends 15
seconds after that is gone.

A worker is known by its key, which signs what it sends: the one in --key FILE,
or else a new one each time. The first results of a new key are all computed
again, so that workers that come and go should keep theirs.`,
		Example: `  DOJO_TOKEN=7GVJ… dojo worker --join 192.168.1.10:4222 --tls-ca cert.pem
  $env:DOJO_TOKEN="7GVJ…"; dojo worker --join trainer:4222 --tls-ca cert.pem
  dojo worker --join 127.0.0.1:4222 --workers 1`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if opt.TLS, err = wire.ClientTLS(authority); err != nil {
				return err
			}
			if opt.Token, err = token.read(); err != nil {
				return err
			}
			if err := wire.CheckJoin(opt.Join); err != nil {
				return usagef("--join %w", err)
			}
			if key != "" {
				if err := rundir.Refuse(key); err != nil {
					return err
				}
				warn := func(text string) { fmt.Fprintln(a.stderr, "dojo:", text) }
				if opt.Key, err = wire.KeyFile(key, warn); err != nil {
					return err
				}
			}
			opt.Log = slog.New(slog.NewTextHandler(a.stderr, nil))
			err = worker.Work(cmd.Context(), opt)
			if errors.Is(err, context.Canceled) {
				return fmt.Errorf("%w; what it had begun is played by others", err)
			}
			if err == nil {
				opt.Log.Info("all games are played")
			}
			return err
		},
	})
	cmd.Use += " --join HOST:PORT"
	cmd.Flags().StringVar(&opt.Join, "join", "", "HOST:PORT that the trainer printed, or the URL of the NATS server")
	secretFlags(cmd, &token, "what the trainer wants, or USER:PASSWORD for a NATS server")
	tlsFlags(cmd, &authority, &opt.Insecure, "the trainer")
	cmd.Flags().StringVar(&opt.Name, "name", "", "of this worker, in the trainer's log (default: HOST-PID)")
	cmd.Flags().StringVar(&key, "key", "", "the file of the worker's key, made if it is not there (default: a new key each time)")
	flags.Workers(cmd.Flags(), &opt.Workers, "cores to use (default: all); changes no result")
	flags.Memory(cmd.Flags(), memory.Free)
	flags.Time(cmd.Flags(), &opt.Wait, "wait", 0, "end when no trainer has answered for so long, e.g. 5m (default: wait for ever)")
	flags.Require(cmd, "join")
	return cmd
}
