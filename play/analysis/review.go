package analysis

import (
	"context"

	"dojo.example/engine"
	"dojo.example/search/think"
)

// Reviewed is the assessment of one action of a game, based on searches. Values are from First's
// perspective.
type Reviewed struct {
	Ply    int      `json:"ply"`    // number of the action, from 1
	Player string   `json:"player"` // player who played the action: first or second
	Move   string   `json:"move"`
	Value  float32  `json:"value"` // value of the position after the action
	Best   string   `json:"best"`  // action that the search prefers
	Line   []string `json:"line"`  // best play of both sides, beginning with Best
	Loss   float32  `json:"loss"`  // how much worse than Best for Player, from 0 to 2
	Mark   Mark     `json:"mark"`  // the mark for this loss

	// Exact is true if both values are proven. Then Loss is exact: a loss of 2 turns a win into a
	// defeat. A loss of 1 turns a win into a draw, or a draw into a defeat.
	Exact bool `json:"exact"`
}

// Mark is the usual mark for a bad action in game records: "?!", "?" or "??". It is "" if the
// action is not bad.
type Mark string

// These are the smallest losses of value for each mark. Values range from -1 to 1. The thresholds
// come from lichess.org, whose "winning chances" have the same range.
const (
	Inaccuracy = 0.1 // ?!
	Mistake    = 0.2 // ?
	Blunder    = 0.3 // ??
)

func markOf(loss float32) Mark {
	switch {
	case loss >= Blunder:
		return "??"
	case loss >= Mistake:
		return "?"
	case loss >= Inaccuracy:
		return "?!"
	}
	return ""
}

// Judge returns the assessment of an action. It uses the results of two searches: "before" is the
// result for position p, and "after" is the result for the position after the action. The loss is
// the value of the best action minus the value after the played action, for the player who moved.
// It is 0 if the played action is the best one, unless both values are proven.
func Judge(ply int, p engine.Position, played engine.Action, before, after Thought) Reviewed {
	best := before.Moves[0]
	r := Reviewed{
		Ply: ply, Player: p.ToMove().String(), Move: p.ActionString(played),
		Value: after.Value, Best: best.Move, Line: best.Line,
		Exact: before.Proven != engine.Ongoing && after.Proven != engine.Ongoing,
	}
	value := best.Value
	if before.Proven != engine.Ongoing {
		value = before.Value
	}
	if r.Move != r.Best || r.Exact {
		r.Loss = max(0, p.ToMove().Sign()*(value-after.Value))
	}
	r.Mark = markOf(r.Loss)
	return r
}

// Review searches all positions of a game. It calls tell once for each action, in the order of the
// game. The call comes as soon as the searches of the positions before and after the action have
// ended. If tell returns an error, Review returns this error.
func (a *Analyser) Review(ctx context.Context, positions []engine.Position, actions []engine.Action, b think.Budget, tell func(Reviewed) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all []*Running
	for i, p := range positions {
		all = append(all, a.Begin(ctx, p, b, -i))
	}
	var before Thought
	for i, r := range all {
		after, err := r.Wait()
		if err == nil && i > 0 {
			err = tell(Judge(i, positions[i-1], actions[i-1], before, after))
		}
		if err != nil {
			return err
		}
		before = after
	}
	return nil
}
