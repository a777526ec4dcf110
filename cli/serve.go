package cli

import (
	"fmt"
	"io"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/version"
	"dojo.example/serve"

	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	var listen, kept string
	var pages pageFlags
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
its host with --host, and its path with --base-path if it passes on only a part
of its paths. If only this machine can reach the server, it asks for no token,
so the proxy decides who may use it. To ask for a token behind a proxy, or for
the same one after each start, put it into a file for --token-file.

The server reads the certificate of --tls-cert again when the file changes.`,
		Example: `  dojo serve
  dojo serve --host dojo.lan --base-path /dojo
  dojo serve runs/onitama-quick runs/other --listen 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := pages.check(); err != nil {
				return err
			}
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
			opt.Games = kept
			if err := pages.apply(&opt, a.logger("")); err != nil {
				return err
			}
			if opt.Models, err = a.extraModels(); err != nil {
				return err
			}
			m := newMonitor(func() error { return nil }, pages.hosts...)
			m.expires(pages.tlsCert, opt.TLS)
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
				if advice := pages.advice(url); advice != "" {
					words = advice + "\n" + words
				}
				address, _, _ := strings.Cut(url, "#token=") // the token is only on stdout
				a.say(words, "serving the pages", "address", address)
			})
		},
	})
	cmd.Flags().StringVar(&listen, "listen", serve.DefaultListen, "HOST:PORT to listen on; port 0 chooses a free port")
	pages.register(cmd, "token-file")
	pages.registerTLS(cmd)
	cmd.Flags().StringVar(&kept, "games", "", "folder in which to keep the finished games of people (default: only the browser keeps them)")
	flags.Memory(cmd.Flags(), memory.Some)
	a.logFlags(cmd, auto)
	return cmd
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
