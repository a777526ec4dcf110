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
		Short: "Runs, their games and their models in the browser",
		Long: `Serves pages that show runs while they are written: a dashboard, every game
position by position, and a board to play and analyse with their models. A RUN
is a run's folder, or a folder of runs, in which new ones appear as they are
begun; without one it is runs. The dashboard shows the runs of one game at a
time, first those of the game of the first RUN that is a run's folder.

The address is the first line printed. Only this machine can reach the pages
unless --listen names another address; then whoever reaches them can look, and
the address that is printed holds a token, without which nothing is computed.

Through a tunnel the pages open at localhost with any port. For a proxy, add its
host name with --host. A server that only this machine can reach asks for no
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
				now, _ := rundir.Find(args) // a folder may have none for a while
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
			s, err := serve.New(opt)
			if err != nil {
				return err
			}
			if err := hostPort("--listen", listen); err != nil {
				return err
			}
			l, err := serve.Listen(listen, cmd.Flags().Changed("listen"))
			if err != nil {
				return err
			}
			return s.Serve(cmd.Context(), l, func(url string) {
				fmt.Fprintln(a.stdout, url)
				if strings.Contains(url, "#token=") {
					fmt.Fprintln(a.stderr, "other machines open it under this machine's name or address, with the same #token")
				}
				fmt.Fprintln(a.stderr, "Ctrl-C ends the server")
			})
		},
	})
	cmd.Flags().StringVar(&listen, "listen", serve.DefaultListen, "HOST:PORT to listen on; port 0 is a free one")
	registerHosts(cmd, &hosts)
	cmd.Flags().StringVar(&kept, "games", "", "folder in which games that people play to the end are kept (default: the browser keeps them)")
	flags.Memory(cmd.Flags(), memory.Some)
	return cmd
}

// registerHosts adds the flag that names the hosts of serve.Options.
func registerHosts(cmd *cobra.Command, hosts *[]string) {
	cmd.Flags().StringSliceVar(hosts, "host", nil, "also answer to this host NAME, such as a proxy's; without port, repeatable")
}

// checkHosts returns an error for a --host that is no host name.
func checkHosts(hosts []string) error {
	for _, host := range hosts {
		if err := serve.CheckHost(host); err != nil {
			return usagef("--host: %w", err)
		}
	}
	return nil
}

// hostPort is an error where the address that a flag gives is not of its form.
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
		Short: "The dashboard of runs as one file to send to somebody",
		Long: `Writes the dashboard of runs, as they are now, to one HTML file that any
browser opens from the disk: it holds all it needs and asks for nothing. Where
runs are of several games it shows one game at a time. To compare models of
different runs use "dojo match".`,
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
