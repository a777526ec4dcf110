package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/regular"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/play/puzzles"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// puzzlesOptions holds the flags of puzzles.
type puzzlesOptions struct {
	file        outputFlags
	model       string
	count       int
	simulations int
	workers     int
}

func (a *app) puzzlesCommand() *cobra.Command {
	var opt puzzlesOptions
	cmd := arguments{{name: "RUN|RECORD", many: true, offer: aRun}}.of(&cobra.Command{
		Use:   "puzzles",
		Short: "Collect puzzles: positions with one good move",
		Long: `Collect puzzles for people to solve. The command looks for mistakes in the
self-play games of a RUN, newest first, or in RECORDs: games that "dojo play" or
the pages have saved. A position becomes a puzzle if a search of --simulations
finds one move that does not lose and is better than all others by at least 0.3,
where values are from -1 to 1.

The file has one line of JSON for each puzzle. Load it in the page Learn of
"dojo serve", which repeats each puzzle after growing intervals.`,
		Example: `  dojo puzzles runs/onitama-quick -o onitama.jsonl
  dojo puzzles game1.txt game2.txt --model box:onitama -o mine.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.puzzles(cmd.Context(), args, opt) },
	})
	cmd.Use += " -o FILE"
	opt.file.register(cmd, "the file to write the puzzles to", true)
	cmd.Flags().StringVar(&opt.model, "model", "", "the model that judges (default: the run's best model; for records, the built-in bot)")
	offer(cmd, "model", aModel)
	flags.Int(cmd.Flags(), &opt.count, "count", 50, 1, 100_000, "largest number of puzzles")
	flags.Int(cmd.Flags(), &opt.simulations, "simulations", 20_000, 100, analysis.MaxSimulations, "root visits of the search that judges a position")
	flags.Workers(cmd.Flags(), &opt.workers, "cores to use (default: all)")
	flags.Memory(cmd.Flags(), memory.Some)
	return cmd
}

// puzzles finds puzzles in the games of a run or of record files and writes them to a file.
func (a *app) puzzles(ctx context.Context, paths []string, opt puzzlesOptions) (err error) {
	named, game := []string(nil), ""
	if opt.model != "" {
		named = []string{opt.model}
	}
	ofRun := puzzles.IsRun(paths[0])
	switch {
	case ofRun && len(paths) > 1:
		return usagef("name either one RUN or any number of RECORDs; %d paths were named, and the first one is a run", len(paths))
	case ofRun && named == nil:
		named = paths
	case named == nil:
		text, err := regular.ReadText(paths[0], play.MaxBytes)
		if err != nil {
			return fmt.Errorf("record: %w", err)
		}
		if game = play.GameOf(string(text)); game == "" {
			return usagef("record %s does not name its game: name a model of the game with --model", paths[0])
		}
	}
	deep := think.Budget{Visits: opt.simulations}
	x, _, err := a.analyserFor(named, game, deep, analysis.Options{Workers: opt.workers})
	if err != nil {
		return err
	}
	target, err := opt.file.open(ctx, a)
	if err != nil {
		return err
	}
	games := puzzles.OfRecords(paths, x.Game)
	if ofRun {
		games = puzzles.OfRun(rundir.Folder(paths[0]), x.Game)
	}
	finder := puzzles.Finder{Analyser: x, Quick: think.Budget{Visits: 200}, Deep: deep}
	var lines strings.Builder
	encoder := json.NewEncoder(&lines)
	found, bar := 0, console.NewBar(a.stderr, opt.count, "puzzles")
	err = finder.Find(ctx, games, func(p puzzles.Puzzle) bool {
		if err := encoder.Encode(p); err != nil {
			panic(err) // impossible: a puzzle has only fields that JSON can encode
		}
		found++
		bar.Set(found, "")
		return found < opt.count
	})
	bar.Clear()
	if err != nil {
		return err
	}
	if err := target.WriteText(ctx, lines.String()); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %d puzzles to %s; load them in the page Learn of dojo serve\n", found, opt.file.out)
	return nil
}
