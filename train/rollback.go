package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"dojo.example/data/rundir"
)

// rollBack undoes the shards and the gates' games that workers handed in and that are wrong, and
// the generations that learnt from them. The run then goes on from there. As everything in it
// follows from its seed, it ends as if these had never been.
func (r *Run) rollBack(ctx context.Context) error {
	r.dropEarly() // these games may be doubtful too, and playing them holds the players' lock
	if err := r.ledger.Refresh(); err != nil {
		return err
	}
	if err := r.review(ctx); err != nil {
		return fmt.Errorf("verify what was handed in: %w", err)
	}
	b := r.ledger.Owed()
	if b == nil {
		return nil
	}
	if err := r.undo(ctx, b); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	if r.opt.RolledBack != nil {
		r.opt.RolledBack(b)
	}
	return nil
}

// undo does a rollback.
func (r *Run) undo(ctx context.Context, b *rundir.Rollback) error {
	possible, err := r.canGoBackTo(b.Generation)
	if err != nil {
		return err
	}
	if !possible { // some samples that this needs were not kept: start from the beginning
		b.Generation, b.Shards = 0, nil
	}
	// Wait for the processes that play games of the generation, because the same number may
	// come again with another model. Processes that come later see that the run is going back.
	players, err := r.opt.Folder.LockPlayersAlone(ctx)
	if err != nil {
		return err
	}
	if err := players.Close(); err != nil {
		return err
	}
	r.done = r.done[:min(len(r.done), b.Generation)]
	if err := r.publish(); err != nil {
		return err
	}
	if err := r.opt.Folder.Undo(b); err != nil {
		return err
	}
	maps.DeleteFunc(r.window.generations, func(g int, _ generation) bool { return g >= b.Generation })
	return r.ledger.Append(rundir.Entry{Event: rundir.RolledBack, Generation: b.Generation, Shards: b.Shards, Number: b.Number})
}

// canGoBackTo reports whether the run has the samples to train generation g again, and also to
// rebuild the trainer state that it starts from if that is gone.
func (r *Run) canGoBackTo(g int) (bool, error) {
	from, err := r.retrainFrom(g)
	if err != nil {
		return false, err
	}
	first := g
	for h := from; h <= g; h++ {
		first = min(first, h+1-r.opt.Train.window(h))
	}
	for h := first; h < g; h++ {
		missing, err := r.opt.Folder.Missing(h, r.opt.Selfplay.Shards())
		if err != nil || len(missing) > 0 {
			return false, err
		}
	}
	return true, nil
}

// retrainFrom returns the first generation that must be trained again before generation g can
// be: the one after the newest trainer state before g. It is g itself if nothing is missing.
func (r *Run) retrainFrom(g int) (int, error) {
	for ; g > 0; g-- {
		_, err := os.Stat(r.opt.Folder.TrainerState(g - 1))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return g, nil
}

// dropUnverified removes the shards whose verification had not ended when the last process
// did. They are played again instead.
func (r *Run) dropUnverified() error {
	for _, e := range r.ledger.Pending() {
		if e.Generation < len(r.done) || e.Gate { // a gate begins anew
			continue
		}
		// The file goes first: a shard that is there and was picked is in the ledger.
		if err := os.Remove(r.opt.Folder.Shard(e.Generation, e.Shard)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		e.Event = rundir.Dropped
		if err := r.ledger.Append(e); err != nil {
			return err
		}
	}
	return nil
}
