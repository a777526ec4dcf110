package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"dojo.example/cli/inspect"
	"dojo.example/games/box"
	"dojo.example/internal/flags"

	"github.com/spf13/cobra"
)

func (a *app) inspectCommand() *cobra.Command {
	var rows int
	cmd := arguments{{name: "PATH", offer: aModel}}.of(&cobra.Command{
		Use:   "inspect",
		Short: "Show what is in a run, a shard or a checkpoint",
		Long: `Show what is in PATH:

  a run's folder              configuration, best model, generations
  a shard (.parquet)          origin and statistics; with --rows, its first rows
  a checkpoint (.safetensors, origin, architecture and number of parameters
  or box:GAME)`,
		Example: `  dojo inspect runs/onitama-quick
  dojo inspect runs/onitama-quick/samples/gen-000000/shard-000000.parquet --rows 5
  dojo inspect runs/onitama-quick/models/000003.safetensors --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			path := args[0]
			_, box := box.Boxed(path)
			info, err := os.Stat(path)
			shard := filepath.Ext(path) == ".parquet"
			switch {
			case err != nil && !box:
				return fmt.Errorf("inspect %s: %w", path, errors.Unwrap(err))
			case rows > 0 && (box || info.IsDir() || !shard):
				return usagef("--rows needs a shard (a .parquet file), and %s is not one", path)
			case !box && info.IsDir():
				return a.print(inspect.Run(path))
			case shard:
				return a.print(inspect.Shard(path, rows))
			}
			return a.print(inspect.Checkpoint(path))
		},
	})
	flags.Int(cmd.Flags(), &rows, "rows", 0, 0, math.MaxInt, "number of rows to print of a shard")
	a.jsonFlag(cmd)
	return cmd
}
