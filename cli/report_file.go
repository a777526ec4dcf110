package cli

import (
	"fmt"
	"io"

	"dojo.example/internal/version"
	"dojo.example/run"
	"dojo.example/serve"

	"github.com/spf13/cobra"
)

func (a *app) reportCommand() *cobra.Command {
	var file outputFlags
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
	}
	file.register(cmd, "the file to write")
	_ = cmd.MarkFlagRequired("output") // it is a flag of this command
	return cmd
}
