package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/run"
	"dojo.example/train"
	"dojo.example/verify"

	"github.com/spf13/cobra"
)

func (a *app) verifyCommand() *cobra.Command {
	share := flags.Percentage{Share: 0.02}
	opt := verify.Options{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN|MODEL",
		Short: "Is a run what it says: compute parts of it again",
		Long: `Checks that a run's files are what its configuration and seed give, on any
machine, and writes nothing into the run's folder:

  chain     each generation's record has the seal of the one before it, and the
            hash of a list of the generation's files
  sample    --shards of the shards, and of the gates, drawn at random, are
            played again by the models that the chain names
  training  all models are trained again from the shards

A MODEL of a run is checked with the generations up to its own. If something is
wrong it is named, and the exit status is 1.`,
		Example: `  dojo verify runs/onitama-quick
  dojo verify runs/onitama-quick/models/000055.safetensors --shards 10%
  dojo verify runs/onitama-quick --shards 100% --json`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if opt.Workers, err = checkWorkers(opt.Workers); err != nil {
				return err
			}
			opt.Share = share.Share
			if !cmd.Flags().Changed("seed") {
				opt.Seed = rand.Uint64N(1e9)
			}
			return a.verify(cmd.Context(), args[0], opt, a.output(asJSON))
		},
	}
	cmd.Flags().Var(&share, "shards", "play this share of the shards and gates again")
	cmd.Flags().BoolVar(&opt.Training, "training", true, "train all models again")
	cmd.Flags().Uint64Var(&opt.Seed, "seed", 0, "which shards and gates are drawn (default: chance)")
	cmd.Flags().IntVar(&opt.Workers, "workers", 0, "cores to use (default: all); changes no result")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// verify verifies a run, up to a model if that is named, and says what was found.
func (a *app) verify(ctx context.Context, path string, opt verify.Options, o console.Output) error {
	folder := run.Folder(path)
	if of := run.Of(path); of != "" {
		folder = of
		n, err := strconv.Atoi(filepath.Base(path)[:len(filepath.Base(path))-len(filepath.Ext(path))])
		if err != nil {
			return usagef("%s is not a model that a generation of the run trained", path)
		}
		opt.Until = n + 1
	}
	done, err := train.ReadMetrics(folder)
	if err != nil {
		return err
	}
	display := train.NewDisplay(a.stderr, len(done))
	opt.Report = display
	r, err := verify.Run(ctx, folder, opt)
	display.Clear()
	if err != nil {
		return err
	}
	if o.JSON {
		err = o.PrintJSON(r)
	} else {
		showVerified(o, r, opt)
	}
	if err == nil && len(r.Faults) > 0 {
		err = errors.New("verify: the run is not what it says")
	}
	return err
}

// showVerified prints what was compared and what was found.
func showVerified(o console.Output, r verify.Result, opt verify.Options) {
	files := fmt.Sprintf("%d are as they are listed", r.Files)
	if r.Gone > 0 {
		files += fmt.Sprintf(", %d are gone", r.Gone)
	}
	training := fmt.Sprintf("%d of %d models trained again", r.Trained, r.Generations)
	if r.Untrained != "" {
		training += ": " + r.Untrained
	}
	o.Facts([][2]any{
		{"run", r.Run},
		{"game", fmt.Sprintf("%s, seed %d", r.Game, r.Seed)},
		{"generations", fmt.Sprintf("%d, the best model is %s", r.Generations, r.Best)},
		{"seal", r.Seal},
		{"files", files},
		{"shards", sampleText(r.Shards, "played")},
		{"gates", sampleText(r.Gates, "played")},
		{"training", training},
		{"drawn by", fmt.Sprintf("--seed %d", r.Drawn)},
	})
	if len(r.Faults) == 0 {
		fmt.Fprintln(o.Out, "\nnothing differs")
		return
	}
	fmt.Fprintf(o.Out, "\n%d faults:\n", len(r.Faults))
	for _, f := range r.Faults {
		fmt.Fprintln(o.Out, "  "+f)
	}
}

// sampleText says what a sample shows.
func sampleText(s verify.Sample, done string) string {
	text := fmt.Sprintf("%d of %d %s again, %d differ", s.Checked, s.Of, done, s.Wrong)
	if s.Wrong > 0 || s.Checked == s.Of {
		return text
	}
	return fmt.Sprintf("%s; %d false ones would show with 95 %%", text, s.Bound())
}
