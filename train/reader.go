package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/selfplay"
)

// A reader converts the rows of a shard into samples. It replays each game from its first position.
// If a row does not match the replayed game, it returns an error.
type reader struct {
	*Options
	shard   []data.Row
	samples []sample
	rows    *sampleRows // the data to which samples refers
	late    int         // number of samples that are late in the game

	next engine.Position // the position that the next row should have
}

func newReader(o *Options) *reader {
	return &reader{Options: o, rows: &sampleRows{Input: o.Network.For(o.Game.Spec).NewInput()}}
}

// readShard reads and checks a shard and converts it into samples. It is safe for concurrent use.
func (o *Options) readShard(ctx context.Context, s rundir.Shard) (*reader, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	h, rows, err := data.ReadShard(s.Path, o.Limits())
	if err != nil {
		return nil, err
	}
	r := newReader(o)
	if err := r.read(ctx, s, h, rows); err != nil {
		return nil, fmt.Errorf("shard %s: %w", s.Path, err)
	}
	r.rows.Shrink()
	r.rows.policy = slices.Clone(r.rows.policy)
	return r, nil
}

// Limits returns the size limits of a shard of the run.
func (o *Options) Limits() data.Limits { return data.LimitsOf(o.Game.Spec, o.Selfplay.ShardGames) }

// Check returns an error unless a shard belongs to the run and is fit for training. It makes the
// same checks as the trainer. h and rows are the contents of the shard, as data.DecodeShard returns
// them. at is the shard's place in the run.
func (o *Options) Check(at rundir.Shard, h data.Provenance, rows []data.Row) error {
	return newReader(o).read(context.Background(), at, h, rows)
}

// read converts the rows of a shard into samples. h holds the shard's origin, and at is its place
// in the run's folder.
func (w *reader) read(ctx context.Context, at rundir.Shard, h data.Provenance, rows []data.Row) error {
	if err := w.checkOrigin(at, h, rows); err != nil {
		return err
	}
	w.shard, w.samples = rows, make([]sample, len(rows))
	for i, row := range rows {
		if ctx.Err() != nil { // checked for each row, because a whole shard takes a long time
			return context.Cause(ctx)
		}
		var err error
		if w.samples[i], err = w.replay(row); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// checkOrigin returns an error unless at is the right place in the run's folder for a shard with
// these contents.
func (o *Options) checkOrigin(at rundir.Shard, h data.Provenance, rows []data.Row) error {
	games, first := 0, selfplay.GameNumber(at.Generation, at.Number*o.Selfplay.ShardGames)
	misnumbered := false
	for _, r := range rows {
		if int(r.Generation) != at.Generation || r.Run != h.Run || r.Model != h.Model {
			return fmt.Errorf("a row names run %s, generation %d and model %s, unlike the shard", r.Run, r.Generation, r.Model)
		}
		if r.Ply == 0 {
			misnumbered = misnumbered || r.Game != first+int64(games)
			games++
		}
	}
	switch {
	case h.Game != o.Game.Name || h.SpecVersion != o.Game.Version:
		return fmt.Errorf("its game is %s version %d, not %s version %d", h.Game, h.SpecVersion, o.Game.Name, o.Game.Version)
	case h.Run != o.Name:
		return fmt.Errorf("it belongs to run %s, not %s", h.Run, o.Name)
	case h.Generation != at.Generation || h.Shard != at.Number:
		return fmt.Errorf("it is shard %d of generation %d, not shard %d of generation %d", h.Shard, h.Generation, at.Number, at.Generation)
	case h.Seed != o.Seed:
		return fmt.Errorf("its games were played with seed %d, but the seed of the run is %d", h.Seed, o.Seed)
	case games != o.Selfplay.ShardGames:
		return fmt.Errorf("it has %d games, but a shard of the run has %d", games, o.Selfplay.ShardGames)
	case misnumbered:
		return fmt.Errorf("its games have wrong numbers: they should begin with number %d", first)
	}
	return nil
}

// replay converts the next row of the shard into a sample and plays the row's action.
func (w *reader) replay(r data.Row) (sample, error) {
	if r.Ply == 0 {
		var err error
		if w.next, err = selfplay.Start(w.Game.Game, w.Seed, r.Game); err != nil {
			return sample{}, err
		}
	}
	pos := w.next
	if want := pos.String(); r.Position != want {
		return sample{}, fmt.Errorf("the position is %q, but replaying the game gives %q at ply %d", r.Position, want, r.Ply)
	}
	if r.Mover != int32(pos.ToMove()) {
		return sample{}, fmt.Errorf("the mover is %d, but in %q it is %d", r.Mover, r.Position, pos.ToMove())
	}
	x, err := w.sample(pos, r)
	if err != nil {
		return sample{}, err
	}
	if _, ok := indexOf(w.rows.LegalOf(x.row), r.Action); !ok {
		return sample{}, fmt.Errorf("the played action %d is not legal in %q", r.Action, r.Position)
	}
	w.next = pos.Play(engine.Action(r.Action))
	return x, checkEnd(r, w.next)
}

// sample creates a sample from a row and the row's position.
func (w *reader) sample(pos engine.Position, r data.Row) (sample, error) {
	if e, ok := pos.State().(engine.LateReporter); ok && e.Late() {
		w.late++
	}
	share := w.Train.SearchValueShare
	value := float32((1-share)*float32(r.Outcome)) + float32(share*r.Value)
	sign := pos.ToMove().Sign()
	row, err := w.rows.add(pos, r.Policy)
	if err := cmp.Or(err, w.rows.Check(w.Game.Spec, row)); err != nil {
		return sample{}, fmt.Errorf("in %q %w", r.Position, err)
	}
	return sample{rows: w.rows, row: row, value: value * sign, margin: float32(r.Margin) * sign}, nil
}

// checkEnd compares the end of a game in a row with the replayed game. after is the position after
// the row's action. checkEnd returns an error if the row and the game disagree about whether the
// game is over in this position, about the outcome, or about the margin.
func checkEnd(r data.Row, after engine.Position) error {
	switch outcome := after.Outcome(); {
	case (outcome == engine.Ongoing) != (r.TurnsLeft > 1):
		return fmt.Errorf("turns_left is %d in %q, but after action %d the outcome is %s", r.TurnsLeft, r.Position, r.Action, outcome)
	case outcome == engine.Ongoing:
		return nil
	case r.Outcome != int32(outcome.Value()):
		return fmt.Errorf("the outcome is %d, but the game ends with %d in %q", r.Outcome, int32(outcome.Value()), after)
	}
	if margin := selfplay.Margin(after); r.Margin != margin {
		return fmt.Errorf("the margin is %d, but the game ends with %d in %q", r.Margin, margin, after)
	}
	return nil
}
