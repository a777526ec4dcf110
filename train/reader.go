package train

import (
	"fmt"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/run"
	"dojo.example/selfplay"
)

// A reader makes samples of the rows of a shard. It plays the games again from their deals,
// and refuses a row that is not what their actions lead to.
type reader struct {
	*window
	rows   *sampleRows     // those so far
	next   engine.Position // the position that the next row should have
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
		if _, err := w.replay(r); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// replay returns the row that comes next in the shard as a sample, and plays its action.
func (w *reader) replay(r data.Row) (sample, error) {
	if r.Ply == 0 {
		w.next = selfplay.Start(w.game, w.expected.seed, r.Game)
	}
	pos := w.next
	if want := pos.String(); r.Position != want {
		return sample{}, fmt.Errorf("the position is %q, and the game has %q at ply %d", r.Position, want, r.Ply)
	}
	if r.Mover != int32(pos.ToMove()) {
		return sample{}, fmt.Errorf("the mover is %d, in %q it is %d", r.Mover, r.Position, pos.ToMove())
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
	w.next = pos.Play(engine.Action(r.Action))
	if err := checkEnd(r, w.next); err != nil {
		return sample{}, err
	}
	return w.sample(pos, r)
}

// sample makes a sample of a row and its position.
func (w *reader) sample(pos engine.Position, r data.Row) (sample, error) {
	if e, ok := pos.State().(engine.LateReporter); ok && e.Late() {
		w.late++
	}
	value := float32((1-w.searchShare)*float32(r.Outcome)) + float32(w.searchShare*r.Value)
	sign := pos.ToMove().Sign()
	x := sample{rows: w.rows, row: w.rows.add(pos, r.Policy), value: value * sign, margin: float32(r.Margin) * sign}
	if err := w.rows.check(w.game.Spec, x.row); err != nil {
		return sample{}, fmt.Errorf("in %q %w", r.Position, err)
	}
	return x, nil
}

// checkEnd returns an error unless the game is over after the row's action if and only if the
// row says so, and ended as the row says.
func checkEnd(r data.Row, after engine.Position) error {
	switch outcome := after.Outcome(); {
	case (outcome == engine.Ongoing) != (r.TurnsLeft > 1):
		return fmt.Errorf("%d turns are left in %q, and after action %d the game is %s", r.TurnsLeft, r.Position, r.Action, outcome)
	case outcome == engine.Ongoing:
		return nil
	case r.Outcome != int32(outcome.Value()):
		return fmt.Errorf("the outcome is %d, and the game ends with %d in %q", r.Outcome, int32(outcome.Value()), after)
	}
	if margin := selfplay.Margin(after); r.Margin != margin {
		return fmt.Errorf("the margin is %d, and the game ends with %d in %q", r.Margin, margin, after)
	}
	return nil
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
