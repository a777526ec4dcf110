package train

import (
	"fmt"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/run"
)

// A reader makes samples of the rows of a shard.
type reader struct {
	*window
	rows   *sampleRows     // those so far
	legal  []engine.Action // scratch of markLegal
	marked []bool          // by action: whether it is legal in the position of markLegal
	late   int             // number of samples late in the game
}

func newReader(w *window) *reader {
	return &reader{window: w, rows: newSampleRows(w.network.For(w.game.Spec)), marked: make([]bool, w.game.Actions)}
}

// Check returns an error unless the content of a shard, as data.DecodeShard returns it,
// is of the run and can be trained on: what the trainer would find when it reads it.
func (o *Options) Check(at run.Shard, h data.Header, rows []data.Row) error {
	w := newReader(newWindow(o.Game.Game, o.Network, 0, o.origin()))
	if err := w.expected.check(o.Game.Game, h, at, rows); err != nil {
		return err
	}
	for i, r := range rows {
		if _, err := w.sample(r); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// sample makes a sample of a row, after checking that it fits the game.
func (w *reader) sample(r data.Row) (sample, error) {
	pos, err := w.game.Parse(r.Position)
	if err != nil {
		return sample{}, err
	}
	if pos.Outcome() != engine.Ongoing {
		return sample{}, fmt.Errorf("the game is over in %q", r.Position)
	}
	if r.Mover != int32(pos.ToMove()) {
		return sample{}, fmt.Errorf("the mover is %d, in %q it is %d", r.Mover, r.Position, pos.ToMove())
	}
	if e, ok := pos.State().(engine.LateReporter); ok && e.Late() {
		w.late++
	}
	w.markLegal(pos)
	if !w.isLegal(r.Action) {
		return sample{}, fmt.Errorf("action %d was played, which is not legal in %q", r.Action, r.Position)
	}
	for _, p := range r.Policy {
		if !w.isLegal(p.Action) {
			return sample{}, fmt.Errorf("the policy has action %d, which is not legal in %q", p.Action, r.Position)
		}
	}
	value := float32((1-w.searchShare)*float32(r.Outcome)) + float32(w.searchShare*r.Value)
	sign := pos.ToMove().Sign()
	x := sample{rows: w.rows, row: w.rows.add(pos, r.Policy), value: value * sign, margin: float32(r.Margin) * sign}
	if err := w.rows.check(w.game.Spec, x.row); err != nil {
		return sample{}, fmt.Errorf("in %q %w", r.Position, err)
	}
	return x, nil
}

// markLegal sets the position whose actions isLegal is asked about.
func (w *reader) markLegal(pos engine.Position) {
	clear(w.marked)
	w.legal = pos.Legal(w.legal[:0])
	for _, a := range w.legal {
		w.marked[a] = true
	}
}

func (w *reader) isLegal(action int32) bool {
	return action >= 0 && int(action) < len(w.marked) && w.marked[action]
}
