package main

import (
	"fmt"
	"io"

	"dojo/internal/output"
	"dojo/internal/version"
	"dojo/run"
	"dojo/serve"

	"github.com/spf13/cobra"
)

func (a *app) reportCommand() *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "report RUN…",
		Short: "The dashboard of runs as one file to send to somebody",
		Long: `Writes the dashboard of runs, as they are now, to one HTML file that any
browser opens from the disk: it holds all it needs and asks for nothing. Where
runs are of several games it shows one game at a time. To compare models of
different runs use "dojo match".`,
		Example: "  dojo report runs/onitama-quick -o report.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			folders, err := run.Find(args)
			if err != nil {
				return err
			}
			target, err := output.Open(out, a.replacing(cmd.Context(), force))
			if err != nil {
				return err
			}
			err = target.Write(cmd.Context(), func(w io.Writer) error { return serve.Report(w, folders, version.String()) })
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "wrote %s\n", out)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write")
	cmd.Flags().BoolVar(&force, "force", false, "replace what is at --output without asking")
	_ = cmd.MarkFlagRequired("output") // it is a flag of this command
	return cmd
}
