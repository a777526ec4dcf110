package train

import (
	"context"

	"dojo.example/arena"
)

// Refit trains the candidate of a committed generation again, from the trainer state of the
// one before it, and writes its model if the file is missing. It returns the generation's record
// with the statistics of its games and of its training as they are now.
func (r *Run) Refit(ctx context.Context, g int) (Metrics, error) {
	m := r.done[g]
	m.Player, m.Program, m.Fit = r.opt.player(r.done, g), r.program(g), FitStats{}
	err := r.fit(ctx, &m)
	return m, err
}

// Regate plays the match of a committed generation again, and writes its games. It returns the
// generation's record with the result and the best model as they are now.
func (r *Run) Regate(ctx context.Context, g int) (Metrics, error) {
	m := r.done[g]
	m.Player = r.opt.player(r.done, g)
	err := r.gate(ctx, &m)
	return m, err
}

// Rivals returns the names of the opponents that the ladder chooses for the best model after the
// last of some generations, in their order, if no model is missing. The run's mark is not among
// them.
func (r *Run) Rivals(done []Metrics) []string {
	last := len(done) - 1
	return r.opt.rivals(done[:last], &done[last])
}

// HasMark reports whether the run's mark has this name; see Options.Mark.
func (r *Run) HasMark(name string) bool { return r.opt.Mark != nil && r.opt.Mark.Player == name }

// Remeet plays a match of the ladder of a committed generation again: the i-th of its record.
func (r *Run) Remeet(ctx context.Context, m Metrics, i int) (again arena.Meeting, err error) {
	var players [2]arena.Contestant
	for k, name := range []string{m.Ladder.Meetings[i].A, m.Ladder.Meetings[i].B} {
		if r.HasMark(name) {
			players[k] = *r.opt.Mark
		} else if players[k], err = r.opt.rung(name); err != nil {
			return again, err
		}
	}
	report := r.opt.Report.Stage(m.Generation, "ladder", r.opt.Gate.Ladder)
	return r.meet(ctx, m.Generation, i, players[0], players[1], func(done int) { report(done, "against "+players[1].Player) })
}

// Again makes the next generation of a run that is made again, without the matches of its ladder.
// program is the version that made it.
func (r *Run) Again(ctx context.Context, program string) error {
	return r.runStages(ctx, program, r.games, r.trainCandidate, r.gate, r.commit)
}
