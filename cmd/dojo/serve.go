package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dojo/cluster"
	"dojo/run"
	"dojo/serve"

	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve [RUN…]",
		Short: "Runs, their games and their models in the browser",
		Long: `Serves pages that show runs while they are written: a dashboard, every game
position by position, and a board to play and analyse with their models. A RUN
is a run's folder, or a folder of runs, in which new ones appear as they are
begun; without one it is runs. The dashboard shows the runs of one game at a
time, first those of the game of the first RUN that is a run's folder.

The address is the first line printed. Only this machine can reach the pages
unless --listen names another address; then whoever reaches them can look, and
the address that is printed holds a token, without which nothing is computed.`,
		Example: `  dojo serve
  dojo serve runs/onitama-quick runs/other --listen 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			folders, err := runsIn(args)
			if err != nil {
				return err
			}
			opt := serve.Options{Runs: folders, Find: func() []run.Folder { return newRuns(args) }}
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
	}
	listenFlag(cmd, &listen)
	return cmd
}

// listenFlag adds --listen to a verb.
func listenFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "listen", serve.DefaultListen, "HOST:PORT to listen on; port 0 is a free one")
}

// hostPort is an error where the address that a flag gives is not of its form.
func hostPort(flag, address string) error {
	if err := cluster.CheckListen(address); err != nil {
		return usagef("%s %w", flag, err)
	}
	return nil
}

// runsIn returns the runs that the arguments name, each a run's folder or a folder of runs;
// without arguments those in runs, if there are any. Runs that are named themselves come
// first, for pages begin with the game of the first run; none is listed twice.
func runsIn(args []string) (named []run.Folder, err error) {
	if len(args) == 0 {
		found, err := runsBelow("runs")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return found, err
	}
	var found []run.Folder
	for _, arg := range args {
		_, err := run.Folder(arg).Config()
		if !errors.Is(err, run.ErrNoRun) { // one that cannot be read is a run too
			named = append(named, run.Folder(filepath.Clean(arg)))
			continue
		}
		below, bad := runsBelow(arg)
		if bad != nil || len(below) == 0 {
			return nil, err
		}
		found = append(found, below...)
	}
	var all []run.Folder
	for _, f := range append(named, found...) {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all, nil
}

// newRuns are the runs in the folders of runs that the arguments name, by now.
func newRuns(args []string) (all []run.Folder) {
	if len(args) == 0 {
		args = []string{"runs"}
	}
	for _, arg := range args {
		if _, err := run.Folder(arg).Config(); errors.Is(err, run.ErrNoRun) {
			below, _ := runsBelow(arg) // a folder that is not there has none
			all = append(all, below...)
		}
	}
	return all
}

// runsBelow are the runs in a folder, by name.
func runsBelow(folder string) (all []run.Folder, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	for _, e := range entries {
		f := run.Folder(filepath.Join(folder, e.Name()))
		if info, err := os.Stat(string(f)); err != nil || !info.IsDir() {
			continue
		}
		if _, err := f.Config(); !errors.Is(err, run.ErrNoRun) {
			all = append(all, f)
		}
	}
	return all, nil
}
