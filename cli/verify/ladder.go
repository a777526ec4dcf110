package verify

import (
	"context"
	"slices"

	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/train"
)

// remeet replays the ladder matches of generation g, which rate it against earlier generations, and
// compares the results with the record. It also checks that the ladder would choose the recorded
// opponents. If the matches were played by a program version with other formulas, it does nothing.
func (c *check) remeet(ctx context.Context, r *train.Run, g int) error {
	m := c.done[g]
	if m.Formulas != train.Formulas {
		return nil
	}
	// The choice of opponents depends on the length of the run, which is a value in run.yaml.
	known, err := c.current(g)
	if err != nil {
		return err
	}
	rivals := r.Rivals(c.done[:g+1])
	for i, recorded := range m.Ladder.Meetings {
		ours := recorded.B == model.NoModel || rundir.IsModelName(recorded.B)
		at := slices.Index(rivals, recorded.B)
		if recorded.A != m.Best || known && ours && at < 0 {
			c.Ladder.Wrong++
			c.fault("the record of generation %d has a ladder match of %s against %s, which the ladder does not choose", g, recorded.A, recorded.B)
			continue
		}
		if at >= 0 {
			rivals = slices.Delete(rivals, at, at+1)
		}
		why := c.unusable(g, c.modelName(recorded.A), c.modelName(recorded.B))
		if !ours && !r.HasMark(recorded.B) {
			why = "this program has a different bot in its box"
		}
		if why != "" {
			c.unchecked("the ladder match of generation %d against %s: %s", g, recorded.B, why)
			continue
		}
		again, err := r.Remeet(ctx, m, i)
		if err != nil {
			return err
		}
		c.Ladder.Checked++
		if again != recorded {
			c.Ladder.Wrong++
			c.fault("the record of generation %d has %g points in %g games against %s, but the match gives %g in %g",
				g, recorded.Points, recorded.Games, recorded.B, again.Points, again.Games)
		}
	}
	for _, name := range rivals {
		// A model whose file was removed does not count, because training ignores it too.
		if known && c.lost[c.modelName(name)] == "" {
			c.Ladder.Wrong++
			c.fault("the record of generation %d lacks the ladder match against %s", g, name)
		}
	}
	return nil
}
