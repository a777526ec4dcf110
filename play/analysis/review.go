package analysis

import (
	"context"

	"dojo.example/engine"
	"dojo.example/search/think"
)

// Reviewed is one action of a game and what a search thinks of it. Values are First's.
type Reviewed struct {
	Ply    int      `json:"ply"`    // from 1
	Player string   `json:"player"` // who played it: first or second
	Move   string   `json:"move"`
	Value  float32  `json:"value"` // of the position after it
	Best   string   `json:"best"`  // what the search would have played
	Line   []string `json:"line"`  // best play of both from Best on
	Loss   float32  `json:"loss"`  // how much worse it is for the player than Best, in [0, 2]
	Mark   Mark     `json:"mark"`  // how bad that is

	// Exact says that both values are proven, so that Loss is exact: 2 is a win
	// thrown away, 1 half of one.
	Exact bool `json:"exact"`
}

// Mark is how players mark a bad action: "?!", "?" or "??"; "" if it is none.
type Mark string

// The losses, in values from -1 to 1, from which an action has a mark. They are those
// of lichess.org, whose "winning chances" have the same range.
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

// Judge compares the action that was played in a position with what searches have found
// there and in the position after it. The loss is the value of the best action less that
// of the position after the played one, for the player who moved; it is 0 if the search
// would have played the same.
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

// Review searches the positions of a game, from the start to the last, and tells each
// action that leads from one to the next as soon as it and those before it are judged.
// An error of tell ends it.
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
