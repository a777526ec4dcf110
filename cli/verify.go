package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dojo.example/cli/verify"
	"dojo.example/data/rundir"
	"dojo.example/games/box"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/regular"
	"dojo.example/train"

	"github.com/spf13/cobra"
)

func (a *app) verifyCommand() *cobra.Command {
	opt := verify.Options{}
	var file outputFlags
	var first int
	cmd := arguments{{name: "RUN|MODEL|box:GAME", offer: aModel}}.of(&cobra.Command{
		Use:   "verify",
		Short: "Verify a run by computing parts of it again",
		Long: `Verify that the files of a run are exactly those that its configuration and seed
give. This works on any machine, and writes nothing into the run's folder. The
command checks three parts:

  chain     the record of each generation has the seal of the record before it,
            and the hash of a list of the generation's files
  sample    a random sample (--shards) of the shards and of the gates is played
            again, by the models that the chain names
  training  all models are trained again from the shards

The results are compared with the files and with the records: results of gates,
Elo, points of the ladder, losses. Times and speeds are not checked. The report
begins with the amount that was checked.

For a MODEL of a run, the generations up to this model are checked. If something
is wrong, the report names it and the exit status is 1. The exit status is also
1 if a file is missing that should be checked: a model, a gate, a shard of the
sample that data.keep has not dropped, or a shard without which the run cannot
go on. --allow-missing checks the rest.

-o writes a proof of the run's best model: a file of some kilobytes with the
configuration and the chain. A model FILE.safetensors can be verified without
its run if the proof FILE.proof.zip is next to it: the chain must lead to the
model, and the first --generations, trained again from nothing, must be those of
the chain. The later generations are not checked; for them you must trust the
author. The built-in bots have such proofs.`,
		Example: `  dojo verify runs/onitama-quick
  dojo verify runs/onitama-quick/models/000055.safetensors --shards 10%
  dojo verify runs/onitama-quick --shards 100% -o onitama.proof.zip
  dojo verify box:tictactoe --generations 12`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if !cmd.Flags().Changed("seed") {
				opt.Seed = rand.Uint64N(1e9)
			}
			if proof, content, err := proven(args[0]); err != nil {
				return err
			} else if proof != nil {
				if file.out != "" {
					return usagef("%s has a proof already; -o writes the proof of a RUN", args[0])
				}
				opt.Until = first
				return a.verifyProof(cmd.Context(), content, proof, opt)
			}
			return a.verify(cmd.Context(), args[0], opt, file)
		},
	})
	flags.Percent(cmd.Flags(), &opt.Share, "shards", 0.02, "play this share of the shards and gates again")
	cmd.Flags().BoolVar(&opt.Training, "training", true, "train all models again")
	flags.Seed(cmd.Flags(), &opt.Seed, 0, "seed of the sample of shards and gates (default: random)")
	cmd.Flags().BoolVar(&opt.Missing, "allow-missing", false, "if files are missing, check the rest")
	flags.Workers(cmd.Flags(), &opt.Workers, "cores to use (default: all); does not change results")
	flags.Memory(cmd.Flags(), memory.Free)
	flags.Int(cmd.Flags(), &first, "generations", verify.DefaultUntil, 0, 1_000_000, "for a model with a proof: train this many generations again from nothing")
	file.register(cmd, "write a proof of the run's best model to this file, if nothing is wrong", false)
	a.jsonFlag(cmd)
	return cmd
}

// proven returns the proof and the model file of a model that has a proof: name must be box:GAME,
// or a model file outside all runs with a proof next to it. For other names, both results are nil.
func proven(name string) (proof, file []byte, err error) {
	if game, ok := box.Boxed(name); ok {
		return box.Proof(game)
	}
	base, ok := strings.CutSuffix(name, ".safetensors")
	if !ok || rundir.Of(name) != "" {
		return nil, nil, nil
	}
	const most = 1 << 30
	if proof, err = regular.Read(base+".proof.zip", most); err == nil {
		file, err = regular.Read(name, most)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("verify %s: the model is not in a run's folder, and has no proof (.proof.zip) next to it: %w", name, err)
	}
	return proof, file, err
}

// verifyProof checks a model against its proof and prints the result.
func (a *app) verifyProof(ctx context.Context, file, proof []byte, opt verify.Options) error {
	display := train.NewDisplay(a.stderr, opt.Until)
	opt.Report = display
	r, err := verify.Model(ctx, file, proof, opt)
	display.Clear()
	if err != nil {
		return err
	}
	claim := ""
	if r.Trained < r.Generations {
		claim = "; the rest is not proven"
	}
	return a.showVerified(r, opt, console.Facts{
		{"checked", fmt.Sprintf("%d of %d generations retrained%s", r.Trained, r.Generations, claim)},
		{"game", fmt.Sprintf("%s, seed %d", r.Game, r.Seed)},
		{"chain", fmt.Sprintf("%d generations, sealed by %s", r.Generations, r.Seal)},
		{"model", fmt.Sprintf("%s, the best one", r.Best)},
	})
}

// verify verifies a run and prints the result. If path is a model file in a run, it verifies only
// the generations up to that model.
func (a *app) verify(ctx context.Context, path string, opt verify.Options, file outputFlags) (err error) {
	folder := rundir.Folder(path)
	if of := rundir.Of(path); of != "" {
		folder = of
		n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
		if err != nil {
			return usagef("%s is not the model of a generation, whose name is a number such as 000012.safetensors", path)
		}
		opt.Until = n + 1
	}
	done, err := train.ReadMetrics(folder)
	if err != nil {
		return err
	}
	if file.out != "" && opt.Until > 0 && opt.Until < len(done) {
		return usagef("-o writes a proof of the best model of the whole run: name the run %s instead of a model", folder)
	}
	out, err := file.open(ctx, a)
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
	files := fmt.Sprintf("%d are as listed", r.Files)
	if r.Gone > 0 {
		files += fmt.Sprintf(", %d are missing", r.Gone)
	}
	training := fmt.Sprintf("%d of %d models trained again", r.Trained, r.Generations)
	if r.Untrained != "" {
		training += ": " + r.Untrained
	}
	err = a.showVerified(r, opt, console.Facts{
		{"checked", fmt.Sprintf("%d of %d shards, %d of %d gates, %d of %d matches of the ladder, %d of %d trainings",
			r.Shards.Checked, r.Shards.Of, r.Gates.Checked, r.Gates.Of, r.Ladder.Checked, r.Ladder.Of, r.Trained, r.Generations)},
		{"run", r.Run},
		{"game", fmt.Sprintf("%s, seed %d", r.Game, r.Seed)},
		{"generations", fmt.Sprintf("%d, the best model is %s", r.Generations, r.Best)},
		{"seal", r.Seal},
		{"files", files},
		{"shards", sampleText(r.Shards)},
		{"gates", sampleText(r.Gates)},
		{"ladder", sampleText(r.Ladder)},
		{"training", training},
		{"drawn by", fmt.Sprintf("--seed %d", r.Drawn)},
	})
	if err != nil || out == nil {
		return err
	}
	proof, err := verify.Proof(folder)
	if err != nil {
		return err
	}
	return out.WriteText(ctx, string(proof))
}

// showVerified prints the facts and the result of a verification. It returns an error if a fault
// was found, or if files are missing and --allow-missing is not given.
func (a *app) showVerified(r verify.Result, opt verify.Options, facts console.Facts) (err error) {
	missing := len(r.Missing) > 0 && !opt.Missing
	if len(r.Missing) > 0 {
		facts = slices.Insert(facts, map[bool]int{true: 0, false: 1}[missing], [2]any{"missing", strings.Join(r.Missing, "; ")})
	}
	if len(r.Unchecked) > 0 {
		facts = append(facts, [2]any{"not checked", strings.Join(r.Unchecked, "; ")})
	}
	text := "\nno differences in what was checked\n"
	switch n := len(r.Faults); {
	case n > 0:
		text = fmt.Sprintf("\nfaults: %d\n  %s\n", n, strings.Join(r.Faults, "\n  "))
	case missing:
		text = ""
	}
	err = a.found(facts.String()+text, r)
	switch {
	case missing:
		err = errors.Join(err, errors.New("verify: files to be checked are missing; put them back, or check the rest with --allow-missing"))
	case len(r.Faults) > 0:
		err = errors.Join(err, errors.New("verify: the files are not what the configuration and the records say; see the faults above"))
	}
	return err
}

// sampleText describes the result of recomputing the random sample.
func sampleText(s verify.Sample) string {
	text := fmt.Sprintf("%d of %d played again, %d differ", s.Checked, s.Of, s.Wrong)
	if s.Wrong > 0 || s.Checked == 0 || s.Checked == s.Of {
		return text
	}
	return fmt.Sprintf("%s; %d false ones would be found with 95 %% probability", text, s.Bound())
}
