package train

import (
	"context"

	"dojo.example/arena"
)

// Refit trains the candidate (the new model) of a committed generation again. It starts from the
// trainer state after the previous generation. If the file of the model is missing, Refit writes
// it. It returns the generation's record with new statistics of the games and of training.
func (r *Run) Refit(ctx context.Context, g int) (Metrics, error) {
	m := r.done[g]
	m.Player, m.Program, m.Fit = r.opt.player(r.done, g), r.program(g), FitStats{}
	err := r.fit(ctx, &m)
	return m, err
}

// Regate plays the gate of a committed generation again and writes its games. The gate is the match
// that decides whether the candidate becomes the best model. Regate returns the generation's record
// with the new result and the new best model.
func (r *Run) Regate(ctx context.Context, g int) (Metrics, error) {
	m := r.done[g]
	m.Player = r.opt.player(r.done, g)
	err := r.gate(ctx, &m)
	return m, err
}

// Rivals returns the names of the earlier models that the best model plays against in ladder
// matches after the last generation in done, in the order of the matches. It assumes that the files
// of all models exist. The result does not include the run's mark (see Options.Mark).
func (r *Run) Rivals(done []Metrics) []string {
	last := len(done) - 1
	return r.opt.rivals(done[:last], &done[last])
}

// HasMark reports whether the run has a mark with this name; see Options.Mark.
func (r *Run) HasMark(name string) bool { return r.opt.Mark != nil && r.opt.Mark.Player == name }

// Remeet plays one ladder match of a committed generation again. i is the index of the match in the
// generation's record m.
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

// Again runs the stages of the next generation, except the ladder matches, for a run that is being
// recomputed. program is the version of the program that made the original generation.
func (r *Run) Again(ctx context.Context, program string) error {
	return r.runStages(ctx, program, r.games, r.trainCandidate, r.gate, r.commit)
}
