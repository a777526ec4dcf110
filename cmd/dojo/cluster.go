package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"dojo/cluster"
	"dojo/configs"
	"dojo/train"

	"github.com/spf13/cobra"
)

// clusterFlags let other machines play games of a run.
type clusterFlags struct {
	listen, nats, token string
	verify              percentage
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "listen", "", "let workers on other machines join at HOST:PORT, e.g. 127.0.0.1:4222")
	cmd.Flags().StringVar(&f.nats, "nats", "", "let workers join over this NATS server with JetStream, e.g. nats://user:password@host:4222")
	cmd.Flags().StringVar(&f.token, "token", "", "what a worker must show to join (default: a random one, unless --listen is on loopback)")
	f.verify = 0.02
	cmd.Flags().Var(&f.verify, "verify", "compute this share of the workers' shards again and compare; 100% finds every wrong one")
	cmd.MarkFlagsMutuallyExclusive("listen", "nats")
}

// check reports flags that make no sense, before there is a run.
func (f *clusterFlags) check(cmd *cobra.Command) error {
	switch {
	case f.listen == "" && f.nats == "" && cmd.Flags().Changed("verify"):
		return usagef("--verify is for --listen and --nats")
	case f.listen == "" && f.nats == "" && f.token != "":
		return usagef("--token is for --listen")
	case f.listen == "":
		return nil
	}
	if err := cluster.CheckListen(f.listen); err != nil {
		return usagef("--listen %w", err)
	}
	return nil
}

// hub starts a hub for the run and makes it where the run's games come from; nil if the
// flags ask for none.
func (f *clusterFlags) hub(ctx context.Context, app *app, opt *train.Options, frozen configs.Frozen) (*cluster.Hub, error) {
	if f.listen == "" && f.nats == "" {
		return nil, nil
	}
	text, err := frozen.Text()
	if err != nil {
		return nil, err
	}
	token := f.token
	if token == "" && f.listen != "" && !cluster.Loopback(f.listen) {
		token = rand.Text()
	}
	hub, err := cluster.NewHub(ctx, cluster.HubOptions{
		Train: opt, Config: string(text), Listen: f.listen, URL: f.nats, Token: token,
		Verify: float64(f.verify), Log: app.logger(),
	})
	if err != nil {
		return nil, err
	}
	join := []string{"worker", "--join", hub.Address()}
	if token != "" {
		join = append(join, "--token", token)
	}
	fmt.Fprintf(app.stderr, "workers join with: %s\n", command(join...))
	opt.Games, opt.GoesBack = hub.Games, true
	return hub, nil
}

// logger writes lines for people to stderr.
func (a *app) logger() *slog.Logger { return slog.New(slog.NewTextHandler(a.stderr, nil)) }

func (a *app) workerCommand() *cobra.Command {
	var opt cluster.WorkerOptions
	cmd := &cobra.Command{
		Use:   "worker --join HOST:PORT",
		Short: "Play games of a run that another machine trains",
		Long: `Joins a "dojo train --listen" on another machine, or in another process of this
one, and plays games for it until its run is complete. Any of our systems and
processors will do, as long as the program is the same: a worker first plays two
short games, and is let in if they are the trainer's bit for bit.

A worker may be killed at any time, and any number may join and leave: the run's
files stay the same. While the trainer is away, a worker waits for it.`,
		Example: `  dojo worker --join 192.168.1.10:4222 --token 7GVJ…
  dojo worker --join 127.0.0.1:4222 --workers 1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.work(cmd.Context(), opt) },
	}
	cmd.Flags().StringVar(&opt.Join, "join", "", "HOST:PORT that the trainer printed, or the URL of the NATS server")
	cmd.Flags().StringVar(&opt.Token, "token", "", "the token that the trainer printed")
	cmd.Flags().StringVar(&opt.Name, "name", "", "of this worker, in the trainer's log (default: HOST-PID)")
	cmd.Flags().IntVar(&opt.Workers, "workers", 0, "goroutines (one a core); changes no result")
	if err := cmd.MarkFlagRequired("join"); err != nil {
		panic(err) // the flag is there
	}
	return cmd
}

func (a *app) work(ctx context.Context, opt cluster.WorkerOptions) error {
	if opt.Workers < 0 || opt.Workers > maxWorkers {
		return usagef("--workers %d is not between 0 and %d", opt.Workers, maxWorkers)
	}
	if opt.Workers == 0 {
		opt.Workers = runtime.NumCPU()
	}
	if opt.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		opt.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	opt.Log = a.logger()
	err := cluster.Work(ctx, opt)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; what it had begun is played by others", err)
	}
	return err
}
