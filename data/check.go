package data

import (
	"errors"
	"fmt"
	"math"

	"dojo.example/internal/bounded"
)

// check returns an error unless the rows are whole games, one after another.
func check(rows []Row) error {
	for i := range rows {
		r := &rows[i]
		err := r.check()
		if err == nil && i == 0 && r.Ply != 0 {
			err = errors.New("the shard does not begin with ply 0 of a game")
		}
		if err == nil && i > 0 {
			err = r.follows(&rows[i-1])
		}
		if err == nil && i == len(rows)-1 && r.TurnsLeft != 1 {
			err = fmt.Errorf("the shard ends before the game: turns_left is %d, not 1", r.TurnsLeft)
		}
		if err != nil {
			return fmt.Errorf("game %d ply %d: %w", r.Game, r.Ply, err)
		}
	}
	return nil
}

// check returns an error if the row contains an impossible value. The comparisons are written so
// that NaN counts as impossible.
func (r *Row) check() error {
	for _, text := range []string{r.Run, r.Position, r.Model} {
		if err := bounded.Text(text); err != nil {
			return err
		}
	}
	sum, last := 0.0, int32(-1)
	for _, w := range r.Policy {
		if w.Action <= last {
			return fmt.Errorf("the actions of the policy are not in increasing order: %d follows %d", w.Action, last)
		}
		if !(w.Weight > 0) {
			return fmt.Errorf("the policy gives action %d the weight %v, which is not above 0", w.Action, w.Weight)
		}
		sum, last = sum+float64(w.Weight), w.Action
	}
	switch {
	case !(math.Abs(sum-1) <= 1e-3): // the tolerance is far larger than the rounding errors of float32 weights
		return fmt.Errorf("the weights of the policy sum to %v, not 1", sum)
	case r.Outcome < -1 || r.Outcome > 1:
		return fmt.Errorf("outcome %d is not 1, 0 or -1", r.Outcome)
	case !(math.Abs(float64(r.Value)) <= 1+1e-3): // Value is a rounded mean, so it may exceed 1 slightly
		return fmt.Errorf("value %v is not in [-1, 1]", r.Value)
	case r.Mover != 0 && r.Mover != 1:
		return fmt.Errorf("mover %d is neither 0 nor 1", r.Mover)
	case r.Action < 0:
		return fmt.Errorf("the played action %d is negative", r.Action)
	case r.Margin < 0 && r.Outcome > 0 || r.Margin > 0 && r.Outcome < 0:
		return fmt.Errorf("margin %d contradicts outcome %d", r.Margin, r.Outcome)
	case r.TurnsLeft < 1:
		return fmt.Errorf("turns_left is %d, less than 1", r.TurnsLeft)
	}
	return nil
}

// follows returns an error if r cannot directly follow the given row.
func (r *Row) follows(before *Row) error {
	switch {
	case r.Ply == 0 && before.TurnsLeft != 1:
		return fmt.Errorf("the game begins before game %d has ended", before.Game)
	case r.Ply == 0 && r.Game <= before.Game:
		return fmt.Errorf("the game comes after game %d, but games must be in increasing order", before.Game)
	case r.Ply == 0:
		return nil
	case r.Game != before.Game || r.Ply != before.Ply+1 || r.TurnsLeft != before.TurnsLeft-1:
		return fmt.Errorf("the row does not continue the row before it: game %d, ply %d, turns_left %d", before.Game, before.Ply, before.TurnsLeft)
	case r.Outcome != before.Outcome:
		return fmt.Errorf("outcome %d differs from the outcome %d of the ply before", r.Outcome, before.Outcome)
	case r.Margin != before.Margin:
		return fmt.Errorf("margin %d differs from the margin %d of the ply before", r.Margin, before.Margin)
	}
	return nil
}
