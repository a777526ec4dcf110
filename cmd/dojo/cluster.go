package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dojo/cluster"
	"dojo/internal/logs"

	"github.com/spf13/cobra"
)

// clusterFlags let other machines do work.
type clusterFlags struct {
	listen, nats string
	secret       secretFlags
	tls          tlsFlags
	verify       percentage // of the shards of a run; see registerVerify
}

// tlsFlags are the files of encrypted connections.
type tlsFlags struct {
	certificate, key, authority string
	insecure                    bool // connections to and from other machines need no encryption
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "listen", "", "let workers on other machines join at HOST:PORT, e.g. 127.0.0.1:4222")
	cmd.Flags().StringVar(&f.nats, "nats", "", "let workers join over this NATS server with JetStream, e.g. tls://host:4222")
	f.secret.register(cmd, "what a worker must show to join (default: a random one, unless --listen is on loopback), or USER:PASSWORD for --nats")
	cmd.Flags().StringVar(&f.tls.certificate, "tls-cert", "", "encrypt with the certificate in this file, for --listen")
	cmd.Flags().StringVar(&f.tls.key, "tls-key", "", "and with the key in this file")
	f.tls.register(cmd, "the server of --nats")
	cmd.MarkFlagsMutuallyExclusive("listen", "nats")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
}

// registerVerify adds the flag of verbs that train runs.
func (f *clusterFlags) registerVerify(cmd *cobra.Command) {
	f.verify = percentage{share: 0.02}
	cmd.Flags().Var(&f.verify, "verify", "compute this share of the shards and gate games of workers again, and compare")
}

// register adds the flag of a program that connects to another.
func (f *tlsFlags) register(cmd *cobra.Command, other string) {
	cmd.Flags().StringVar(&f.authority, "tls-ca", "", "encrypt, and trust "+other+" if the certificate in this file is its own or signed it")
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "do without encryption between machines: who can read the network can join")
	cmd.MarkFlagsMutuallyExclusive("tls-ca", "insecure")
}

// client is how to connect, or nil if the flags do not say.
func (f *tlsFlags) client() (*tls.Config, error) {
	if f.authority == "" {
		return nil, nil
	}
	return cluster.ClientTLS(f.authority)
}

// check reports flags that make no sense, before anything is done.
func (f *clusterFlags) check() error {
	switch {
	case f.listen == "" && f.nats == "" && f.verify.given:
		return usagef("--verify is for --listen and --nats")
	case !f.on() && f.secret != secretFlags{}:
		return usagef("--token and --token-file are for --listen and --nats")
	case !f.on() && f.tls.insecure:
		return usagef("--insecure is for --listen and --nats")
	case f.listen == "" && f.tls.certificate != "":
		return usagef("--tls-cert and --tls-key are for --listen")
	case f.nats == "" && f.tls.authority != "":
		return usagef("--tls-ca is for --nats")
	case f.nats != "":
		if err := cluster.CheckURL(f.nats); err != nil {
			return usagef("--nats %w", err)
		}
	case f.listen != "":
		if err := cluster.CheckListen(f.listen); err != nil {
			return usagef("--listen %w", err)
		}
		if f.abroad() && f.tls.certificate == "" && !f.tls.insecure {
			return usagef("--listen %s lets other machines in, and without a certificate nothing is encrypted: give one with --tls-cert and --tls-key, or say --insecure", f.listen)
		}
	}
	return nil
}

// on reports whether the flags let workers help.
func (f *clusterFlags) on() bool { return f.listen != "" || f.nats != "" }

// abroad reports whether other machines can reach --listen.
func (f *clusterFlags) abroad() bool { return f.listen != "" && !cluster.Loopback(f.listen) }

// hub starts a hub for the work that the options name, and says how workers join; nil if
// the flags ask for none.
func (f *clusterFlags) hub(ctx context.Context, app *app, opt cluster.HubOptions) (hub *cluster.Hub, err error) {
	if !f.on() {
		return nil, nil
	}
	opt.Listen, opt.URL, opt.Insecure, opt.Verify = f.listen, f.nats, f.tls.insecure, f.verify.share
	if opt.Token, err = f.secret.read(); err != nil {
		return nil, err
	}
	log := filepath.Join(opt.Dir, "log.txt")
	if opt.Once { // the folder is gone afterwards
		log = ""
	}
	opt.Log = logs.New(app.stderr, log)
	if f.tls.certificate != "" {
		opt.TLS, err = cluster.ServerTLS(f.tls.certificate, f.tls.key)
	} else {
		opt.TLS, err = f.tls.client()
	}
	if err != nil {
		return nil, err
	}
	drawn := opt.Token == "" && f.abroad()
	if drawn {
		opt.Token = rand.Text()
	}
	if hub, err = cluster.NewHub(ctx, opt); err != nil {
		return nil, err
	}
	if f.abroad() && opt.TLS == nil {
		opt.Log.Warn("nothing is encrypted: who reads this network reads the token; --tls-cert and --tls-key encrypt")
	}
	join := []string{"worker", "--join", hub.Address()}
	if opt.TLS != nil {
		join = append(join, "--tls-ca", cmp.Or(f.tls.certificate, f.tls.authority))
	} else if f.tls.insecure {
		join = append(join, "--insecure")
	}
	fmt.Fprintf(app.stderr, "workers join with: %s\n", command(join...))
	if drawn {
		fmt.Fprintf(app.stderr, "with the token in %s or a --token-file: %s\n", tokenVariable, opt.Token)
	} else if opt.Token != "" || f.nats != hub.Address() && f.nats != "" {
		fmt.Fprintf(app.stderr, "with the trainer's token or login in %s or a --token-file\n", tokenVariable)
	}
	return hub, nil
}

func (a *app) workerCommand() *cobra.Command {
	var opt cluster.WorkerOptions
	var encryption tlsFlags
	var secret secretFlags
	cmd := &cobra.Command{
		Use:   "worker --join HOST:PORT",
		Short: "Play games of a run that another machine trains",
		Long: `Joins a "dojo train --listen" on another machine, or in another process of this
one, and plays games for it until its run is complete. Any of our systems and
processors will do, as long as the program is the same: a worker first plays two
short games, and is let in if they are the trainer's bit for bit.

A worker may be killed at any time, and any number may join and leave: the run's
files stay the same. While the trainer is away, a worker waits for it: for ever,
or as long as --wait says. It plays games of "dojo match", "dojo evaluate" and
"dojo sweep" with --listen as well; of a match or an evaluation it ends 15
seconds after that is gone.`,
		Example: `  DOJO_TOKEN=7GVJ… dojo worker --join 192.168.1.10:4222 --tls-ca cert.pem
  dojo worker --join 127.0.0.1:4222 --workers 1`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if opt.TLS, err = encryption.client(); err != nil {
				return err
			}
			opt.Insecure = encryption.insecure
			if opt.Token, err = secret.read(); err != nil {
				return err
			}
			return a.work(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.Join, "join", "", "HOST:PORT that the trainer printed, or the URL of the NATS server")
	secret.register(cmd, "what the trainer wants, or USER:PASSWORD for a NATS server")
	encryption.register(cmd, "the trainer")
	cmd.Flags().StringVar(&opt.Name, "name", "", "of this worker, in the trainer's log (default: HOST-PID)")
	cmd.Flags().IntVar(&opt.Workers, "workers", 0, "cores to use (default: all); changes no result")
	timeFlag(cmd.Flags(), &opt.Wait, "wait", 0, "end when no trainer has answered for so long, e.g. 5m (default: wait for ever)")
	if err := cmd.MarkFlagRequired("join"); err != nil {
		panic(err) // the flag is there
	}
	return cmd
}

func (a *app) work(ctx context.Context, opt cluster.WorkerOptions) (err error) {
	if opt.Workers, err = checkWorkers(opt.Workers); err != nil {
		return err
	}
	if opt.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		opt.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	check := cluster.CheckListen
	if strings.Contains(opt.Join, "://") { // the URL of a NATS server
		check = cluster.CheckURL
	}
	if err := check(opt.Join); err != nil {
		return usagef("--join %w", err)
	}
	opt.Log = slog.New(slog.NewTextHandler(a.stderr, nil))
	opt.Progress = everySoOften(opt.Log)
	err = cluster.Work(ctx, opt)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; what it had begun is played by others", err)
	}
	if err == nil {
		opt.Log.Info("all games are played")
	}
	return err
}

// everySoOften returns a function that tells a log what a worker has done, when some time
// has passed since it last did.
func everySoOften(log *slog.Logger) func(cluster.Status) {
	const interval = 10 * time.Second
	told, games := time.Now(), 0
	return func(s cluster.Status) {
		took := time.Since(told)
		if took < interval {
			return
		}
		speed := fmt.Sprintf("%.1f", float64(s.Games-games)/took.Seconds())
		log.Info("working", "run", s.Run, "tasks", s.Tasks, "games", s.Games, "positions", s.Positions, "games_per_second", speed)
		told, games = time.Now(), s.Games
	}
}
