package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/internal/parallel"
	"dojo.example/model"
)

// Roots holds positions of played games. A [Distillation] plays random actions from these
// positions. The student learns from the positions that are reached.
type Roots struct {
	Positions []engine.Position
	From      string // whose games these are, as text for the student's metadata
	Identity  string // identifies the list of positions: different lists have different identities
}

// FindRoots sets d.Roots. If from is not "", it takes positions from the games of the run in this
// folder. If from is "" or the run has no samples, the teacher plays games, and FindRoots takes
// their positions. If must is true, FindRoots returns an error for a run without samples.
func (d *Distillation) FindRoots(ctx context.Context, from rundir.Folder, must bool) (err error) {
	const fromRun, played = 250_000, 50_000
	if from != "" {
		if d.Roots, err = RunRoots(ctx, from, d.Game, fromRun); must || !errors.Is(err, errNoSamples) {
			return err
		}
	}
	d.Roots, err = PlayedRoots(ctx, d.Teacher, d.Game, min(played, d.Positions), d.Seed, d.Workers)
	return err
}

var errNoSamples = errors.New("has no samples")

// randomDescendant takes a random root, plays up to Wander random actions and returns the position
// that is reached. It stops before an action that would end the game.
func (d *Distillation) randomDescendant(rng *rand.Rand) (engine.Position, error) {
	p := d.Roots.Positions[rng.IntN(len(d.Roots.Positions))]
	for range rng.IntN(d.Wander + 1) {
		legal, err := d.Game.Choices(p, nil)
		if err != nil {
			return p, err
		}
		next := p.Play(legal[rng.IntN(len(legal))])
		if next.Outcome() != engine.Ongoing {
			break
		}
		p = next
	}
	return p, nil
}

// RunRoots returns up to n of the newest positions of a run, without duplicates.
func RunRoots(ctx context.Context, f rundir.Folder, game engine.Game, n int) (Roots, error) {
	roots := Roots{From: "those of a run"}
	shards, err := f.Shards()
	if err != nil {
		return roots, err
	}
	seen, texts := map[string]bool{}, sha256.New()
	for i := len(shards) - 1; i >= 0 && len(roots.Positions) < n; i-- {
		if ctx.Err() != nil {
			return roots, context.Cause(ctx)
		}
		path := shards[i].Path
		header, rows, err := data.ReadShard(path, data.LimitsOf(game.Spec, 0))
		if err != nil {
			return roots, err
		}
		if header.Game != game.Name || header.SpecVersion != game.Version {
			return roots, fmt.Errorf("shard %s is for %s version %d, not %s version %d", path, header.Game, header.SpecVersion, game.Name, game.Version)
		}
		for _, r := range rows {
			if seen[r.Position] || len(roots.Positions) == n {
				continue
			}
			seen[r.Position] = true
			p, err := game.Parse(r.Position)
			if err == nil && p.Outcome() != engine.Ongoing {
				err = fmt.Errorf("the game is over in %q", r.Position)
			}
			if err != nil {
				return roots, fmt.Errorf("shard %s: %w", path, err)
			}
			roots.Positions = append(roots.Positions, p)
			_, _ = io.WriteString(texts, r.Position+"\n") // writing to a hash never fails
		}
	}
	roots.Identity = hex.EncodeToString(texts.Sum(nil))
	if len(roots.Positions) == 0 {
		return roots, fmt.Errorf("run %s %w", f, errNoSamples)
	}
	return roots, nil
}

// PlayedRoots lets the teacher play games against itself and returns n positions from these games.
// In each position, the action is drawn at random from the teacher's policy. The positions depend
// on the seed, but not on the number of workers.
func PlayedRoots(ctx context.Context, teacher *model.Checkpoint, game engine.Game, n int, seed uint64, workers int) (Roots, error) {
	evaluator, err := teacher.Evaluator(model.Best)
	if err != nil {
		return Roots{}, err
	}
	var parts [chunks][]engine.Position
	var errs [chunks]error
	parallel.For(chunks, workers, func(c int) {
		rng := rand.New(rand.NewPCG(seed, streamDistil-uint64(1+c)))
		parts[c], errs[c] = playRoots(ctx, evaluator, game, rng, n*(c+1)/chunks-n*c/chunks)
	})
	roots := Roots{From: "those of the teacher's own games", Identity: fmt.Sprint(teacher.Hash(), n, seed)}
	for _, p := range parts {
		roots.Positions = append(roots.Positions, p...)
	}
	return roots, cmp.Or(errs[:]...)
}

// errEnough stops the game in progress when playRoots has enough positions.
var errEnough = errors.New("enough positions")

// playRoots plays games until it has collected n positions.
func playRoots(ctx context.Context, e model.Evaluator, game engine.Game, rng *rand.Rand, n int) (list []engine.Position, err error) {
	b := model.NewBatch(e)
	for len(list) < n {
		start, err := game.Deal(rng)
		if err != nil {
			return nil, err
		}
		_, err = game.PlayFrom(start, func(p engine.Position, _ int, _ []engine.Action) (engine.Action, error) {
			if len(list) == n {
				return 0, errEnough
			}
			list = append(list, p)
			if err := cmp.Or(context.Cause(ctx), b.Ask(ctx, p)); err != nil {
				return 0, err
			}
			return sampleAction(b.Input.Legal, policyOf(b, 0), rng), nil
		})
		if err != nil && err != errEnough {
			return nil, err
		}
	}
	return list, nil
}

// sampleAction picks one of the legal actions at random. policy holds their probabilities.
func sampleAction(legal []engine.Action, policy []float32, rng *rand.Rand) engine.Action {
	x := rng.Float32()
	for k, weight := range policy {
		if x -= weight; x < 0 {
			return legal[k]
		}
	}
	return legal[len(legal)-1]
}

// policyOf returns the policy in a position of an evaluated batch. This is the softmax of the
// logits of the position's legal actions.
func policyOf(b *model.Batch, row int) []float32 {
	from, to := b.Input.LegalRange(row, row+1)
	policy := make([]float32, to-from)
	detmath.Softmax(policy, b.Logits[from:to], 1)
	return policy
}
