package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"
	"dojo.example/internal/certificate"
	"dojo.example/internal/flags"
	"dojo.example/internal/logs"
	"dojo.example/internal/memory"

	"github.com/spf13/cobra"
)

func (a *app) workerCommand() *cobra.Command {
	var opt worker.Options
	var pool poolFlags
	var authority, certPath, certKey string
	var token tokenSource
	var login natsLogin
	var metrics metricsFlags
	var key string
	cmd := arguments{}.of(&cobra.Command{
		Use:   "worker",
		Short: "Play games for a run that another process trains",
		Long: `Play games for a run that another process trains, on this or another machine.
The trainer is a "dojo train" with --listen. The worker ends when the run is
complete. A worker can also play games of "dojo match", "dojo evaluate", "dojo
tune" and "dojo sweep" with --listen. After a match, an evaluation or a tuning
has ended, the worker waits 15 seconds and ends.

If --join is the URL of a NATS server, the worker helps all runs, matches and
sweeps that use this server with --nats. It goes to the run that has the fewest
workers for its --weight, changes the run when another one needs it more, and
waits for new runs until it is stopped. --run and --until-done limit this. If a
run needs another version of dojo, the worker says so and waits.

Any supported system and processor can join, if it runs the same program. To
check that, a worker first plays two short games. The trainer lets it in if the
results are bit for bit its own.

Any number of workers may join, leave or be killed at any time: the files of the
run stay the same. While the trainer is away, a worker waits for it, forever or
for the time in --wait.

A worker signs its results with its key. The key is in the file --key; without
--key, the worker makes a new one each time it starts. The trainer computes all
of the first results of a new key again, so a worker that comes and goes should
keep its key.`,
		Example: `  DOJO_TOKEN=7GVJ… dojo worker --join 192.168.1.10:4222 --tls-ca cert.pem
  $env:DOJO_TOKEN="7GVJ…"; dojo worker --join trainer:4222 --tls-ca cert.pem
  dojo worker --join 127.0.0.1:4222 --workers 1
  dojo worker --join tls://nats:4222 --token-file login --until-done`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			opt.Log = a.logger("")
			if err := cmp.Or(checkPair(certPath, certKey), login.checkJoin(opt.Join, certPath)); err != nil {
				return usage(err)
			}
			if opt.TLS, err = certificate.Client(authority, certPath, certKey, opt.Log); err != nil {
				return err
			}
			opt.Creds, opt.NKey = login.Creds, login.NKey
			if opt.Token, err = token.read(); err != nil {
				return err
			}
			if err := wire.CheckJoin(opt.Join); err != nil {
				return usagef("--join %w", err)
			}
			if err := pool.check(opt.Join); err != nil {
				return err
			}
			opt.Run, opt.UntilDone = pool.run, pool.untilDone
			if err := metrics.check(); err != nil {
				return err
			}
			if key != "" {
				if err := rundir.Refuse(key); err != nil {
					return err
				}
				warn := func(text string) { opt.Log.Warn("the worker's key is not protected", "cause", text) }
				if opt.Key, err = keyFile(key, warn); err != nil {
					return err
				}
			}
			stop, err := metrics.watchWorker(cmd.Context(), &opt)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, stop()) }()
			err = worker.Work(cmd.Context(), opt)
			if errors.Is(err, context.Canceled) {
				return fmt.Errorf("%w; other workers or the trainer play its unfinished games", err)
			}
			if err == nil {
				opt.Log.Info("all games have been played")
			}
			return err
		},
	})
	cmd.Use += " --join HOST:PORT"
	cmd.Flags().StringVar(&opt.Join, "join", "", "HOST:PORT that the trainer printed, or the URL of the NATS server (several, separated by commas, for a cluster)")
	secretFlags(cmd, &token, "the trainer's token, or USER:PASSWORD for a NATS server")
	tlsFlags(cmd, &authority, &opt.Insecure, "the trainer")
	login.register(cmd)
	cmd.Flags().StringVar(&certPath, "tls-cert", "", "log in to the NATS server with the certificate in this file; needs --tls-key")
	cmd.Flags().StringVar(&certKey, "tls-key", "", "the file with the private key of --tls-cert")
	flags.Exclude(cmd, "tls-cert", "insecure")
	cmd.Flags().StringVar(&opt.Name, "name", "", "name of this worker in the trainer's log (default: HOST-PID)")
	cmd.Flags().StringVar(&key, "key", "", "file with the worker's key, created if it does not exist (default: a new key each time)")
	pool.register(cmd)
	flags.Workers(cmd.Flags(), &opt.Workers, "cores to use (default: all); does not change results")
	flags.Memory(cmd.Flags(), memory.Free)
	metrics.register(cmd)
	flags.Time(cmd.Flags(), &opt.Wait, "wait", 0, "end when no trainer has answered for this long, e.g. 5m (default: wait forever)")
	a.logFlags(cmd, string(logs.Text))
	flags.Require(cmd, "join")
	return cmd
}
