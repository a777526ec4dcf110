package train

import (
	"context"

	"dojo.example/arena"
)

// Refit trains the candidate of a committed generation again, from the trainer state of the
// generation before it. If the file of the model is missing, Refit writes it. It returns the
// generation's record with the new statistics of the games and of training.
func (r *Run) Refit(ctx context.Context, g int) (Metrics, error) {
	m := r.done[g]
	m.Player, m.Program, m.Fit = r.opt.player(r.done, g), r.program(g), FitStats{}
	err := r.fit(ctx, &m)
	return m, err
}

// Regate plays the gate of a committed generation again and writes its games. It returns the
// generation's record with the new result and best model.
func (r *Run) Regate(ctx context.Context, g int) (Metrics, error) {
	m := r.done[g]
	m.Player = r.opt.player(r.done, g)
	err := r.gate(ctx, &m)
	return m, err
}

// Rivals returns the earlier models that the ladder pairs with the best model after the last
// generation in done, in order of play. It assumes that the files of all models exist, and does not
// include the run's mark.
func (r *Run) Rivals(done []Metrics) []string {
	last := len(done) - 1
	return r.opt.rivals(done[:last], &done[last])
}

// HasMark reports whether the run's mark has this name; see Options.Mark.
func (r *Run) HasMark(name string) bool { return r.opt.Mark != nil && r.opt.Mark.Player == name }

// Remeet plays the i-th ladder match in the record of a committed generation again.
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

// Again makes the next generation when a run is recomputed, without the matches of the ladder.
// program is the version of the program that made the original.
func (r *Run) Again(ctx context.Context, program string) error {
	return r.runStages(ctx, program, r.games, r.trainCandidate, r.gate, r.commit)
}
