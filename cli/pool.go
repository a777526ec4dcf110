package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// poolFlags are the flags of a worker that serves the runs of a NATS server.
type poolFlags struct {
	run       string // the only run that the worker serves; "" stands for any run
	untilDone bool   // see worker.Options
}

func (f *poolFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.run, "run", "", "serve only the run with this name (default: any run of the NATS server)")
	cmd.Flags().BoolVar(&f.untilDone, "until-done", false, "end when a run is complete and no other run of the NATS server answers (default: wait for other runs)")
}

// check returns an error if the flags do not fit the address that the worker joins.
func (f *poolFlags) check(join string) error {
	switch url := strings.Contains(join, "://"); {
	case f.run != "" && !url:
		return usagef("--run needs the URL of a NATS server in --join: a trainer at HOST:PORT has only one run")
	case f.untilDone && !url:
		return usagef("--until-done needs the URL of a NATS server in --join: at HOST:PORT a worker always ends when the run is complete")
	}
	return nil
}

// registerWeight adds --weight to a verb that workers can help through a NATS server.
func registerWeight(cmd *cobra.Command, to *float64) {
	cmd.Flags().Float64Var(to, "weight", 1, "share of the workers of --nats, relative to its other runs, from 0.1 to 100")
}

// checkWeight checks the value of --weight. nats is the value of --nats.
func checkWeight(cmd *cobra.Command, weight float64, nats string) error {
	switch {
	case cmd.Flags().Changed("weight") && nats == "":
		return usagef("--weight needs --nats")
	case !(weight >= 0.1 && weight <= 100): // also refuses NaN
		return usagef("--weight %v is not from 0.1 to 100", weight)
	}
	return nil
}
