package cli

import (
	"fmt"
	"io"
	"strings"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/version"
	"dojo.example/serve"

	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	var listen, kept string
	var hosts []string
	cmd := arguments{{name: "RUN", need: optional, many: true, offer: aRun}}.of(&cobra.Command{
		Use:   "serve",
		Short: "Show runs in the browser, and play against their models",
		Long: `Show runs in the browser: a dashboard that follows the training, all games
position by position, and a board to play and analyse with the models.

RUN is the folder of a run, or a folder of runs; new runs in it appear by
themselves. The default is the folder runs. The dashboard shows the runs of one
game at a time, beginning with the game of the first RUN that is a run's folder.

The command prints the address of the pages as its first line. By default, only
this machine can reach them. If --listen names an address that other machines
can reach, everybody who reaches it can look at the pages, but only the printed
address, which has a token, allows computations.

Through a tunnel, open the pages at localhost, on any port. For a proxy, name
its host with --host. If only this machine can reach the server, it asks for no
token, so the proxy decides who may use it.`,
		Example: `  dojo serve
  dojo serve --host dojo.lan
  dojo serve runs/onitama-quick runs/other --listen 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			folders, err := rundir.Find(args)
			if err != nil {
				return err
			}
			opt := serve.Options{Runs: folders, Find: func() []rundir.Folder {
				now, _ := rundir.Find(args) // fails harmlessly if a folder has no runs
				return now
			}}
			if kept != "" {
				if err := rundir.RefuseFolder(kept); err != nil {
					return err
				}
			}
			opt.Games, opt.Hosts = kept, hosts
			if err := checkHosts(hosts); err != nil {
				return err
			}
			if opt.Models, err = a.extraModels(); err != nil {
				return err
			}
			m := newMonitor(func() error { return nil }, hosts...)
			opt.Health = m
			s, err := serve.New(opt)
			if err != nil {
				return err
			}
			m.metrics.MustRegister(s.Collector())
			if err := hostPort("--listen", listen); err != nil {
				return err
			}
			l, err := serve.Listen(listen, cmd.Flags().Changed("listen"))
			if err != nil {
				return err
			}
			return s.Serve(cmd.Context(), l, func(url string) {
				fmt.Fprintln(a.stdout, url)
				words := "press Ctrl-C to end the server"
				address, _, private := strings.Cut(url, "#token=") // the token is only on stdout
				if private {
					words = "on other machines, open this address with this machine's name or IP address in it, and with the same #token\n" + words
				}
				a.say(words, "serving the pages", "address", address)
			})
		},
	})
	cmd.Flags().StringVar(&listen, "listen", serve.DefaultListen, "HOST:PORT to listen on; port 0 chooses a free port")
	registerHosts(cmd, &hosts)
	cmd.Flags().StringVar(&kept, "games", "", "folder in which to keep the finished games of people (default: only the browser keeps them)")
	flags.Memory(cmd.Flags(), memory.Some)
	a.logFlags(cmd, auto)
	return cmd
}

// registerHosts adds --host, which sets the Hosts of serve.Options.
func registerHosts(cmd *cobra.Command, hosts *[]string) {
	cmd.Flags().StringSliceVar(hosts, "host", nil, "also answer requests for this host name, e.g. a proxy's; without a port (repeatable)")
}

// checkHosts returns an error if a value of --host is not a host name.
func checkHosts(hosts []string) error {
	for _, host := range hosts {
		if err := serve.CheckHost(host); err != nil {
			return usagef("--host: %w", err)
		}
	}
	return nil
}

// hostPort returns an error if the value of a flag is not of the form HOST:PORT.
func hostPort(flag, address string) error {
	if err := wire.CheckListen(address); err != nil {
		return usagef("%s %w", flag, err)
	}
	return nil
}

func (a *app) reportCommand() *cobra.Command {
	var file outputFlags
	cmd := arguments{{name: "RUN", many: true, offer: aRun}}.of(&cobra.Command{
		Use:   "report",
		Short: "Write the dashboard of runs to one HTML file",
		Long: `Write the dashboard of runs, as they are now, to one HTML file. Any browser
opens the file from the disk, without a server or a network, so you can send it
to somebody. If the runs are of several games, the file shows one game at a
time. To compare models of different runs, use "dojo match".`,
		Example: "  dojo report runs/onitama-quick -o report.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			folders, err := rundir.Find(args)
			if err != nil {
				return err
			}
			target, err := file.open(cmd.Context(), a)
			if err != nil {
				return err
			}
			err = target.Write(cmd.Context(), func(w io.Writer) error { return serve.Report(w, folders, version.String()) })
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "wrote %s\n", file.out)
			return nil
		},
	})
	file.register(cmd, "the file to write", true)
	return cmd
}
