package cli

import (
	"path/filepath"
	"time"

	"dojo.example/internal/flags"
	"dojo.example/model"
	"dojo.example/models"
	"dojo.example/run"

	"github.com/spf13/cobra"
)

// solvedOptions is what the command line tells evaluate of solved positions.
type solvedOptions struct {
	file string
	time time.Duration // of a model for each position, in place of simulations
}

func (o *solvedOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.file, "solved", "", "a file of positions of known value (.jsonl or .jsonl.gz)")
	flags.Time(cmd.Flags(), &o.time, "time", 0, "time of the model for each of them, such as 30ms, in place of --simulations")
	cmd.MarkFlagsMutuallyExclusive("time", "simulations")
}

// check reports values that make no sense.
func (o *solvedOptions) check() error {
	if o.file == "" && o.time > 0 {
		return usagef("--time is for --solved FILE")
	}
	return nil
}

// answersIn returns the run whose dashboard shows the answers of the model that args name. It
// is "" for a model outside a run, or one with changes, such as #float32, which dashboards do not show.
func answersIn(args []string, c *model.Checkpoint) run.Folder {
	if len(args) == 0 {
		return ""
	}
	path, err := models.Path(args[0])
	if err != nil || models.Base(args[0]) != args[0] {
		return ""
	}
	folder := run.Of(path)
	if _, err := folder.Config(); err != nil || filepath.Clean(path) != folder.Model(c.Name) {
		return ""
	}
	return folder
}
