package measure

import (
	"context"
	"fmt"
	"time"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/model"
	"dojo.example/think"
)

// StudentReport is what Student prints of a student.
type StudentReport struct {
	File    string          `json:"file"`
	Game    string          `json:"game"`
	Hash    string          `json:"hash"`
	Origin  string          `json:"origin"`
	Steps   int             `json:"steps"`
	Matches []arena.Summary `json:"matches"` // against the teacher, from the student's side
}

// A Lesson is a student and the teacher that it learnt from.
type Lesson struct {
	arena.Options    // of the matches
	Entry            games.Entry
	Student, Teacher *model.Checkpoint
	File             string        // the student's
	Named            string        // what the user calls the teacher
	Simulations      int           // of both, in the match at equal simulations
	MoveTime         time.Duration // of both, in the match at equal time
}

// Student plays a student against its teacher, at equal simulations and at equal time, and says
// what was lost.
func Student(ctx context.Context, o console.Output, l Lesson) error {
	report := StudentReport{l.File, l.Entry.Name, l.Student.Hash(), l.Student.Origin, l.Student.Step, []arena.Summary{}}
	if !o.JSON {
		fmt.Fprintf(o.Out, "%s  %s\n  %s\n", l.File, l.Student.Sizes(), l.Student.Origin)
	}
	for _, budget := range []think.Budget{{Visits: l.Simulations}, {Time: l.MoveTime}} {
		if l.Games == 0 {
			break
		}
		var err error
		match, equal := l.Options, fmt.Sprintf("at %d simulations", budget.Visits)
		if budget.Time > 0 {
			equal = fmt.Sprintf("at %v an action", budget.Time)
		}
		if match.A, err = arena.Model(l.Entry.Game, l.File, l.Student, budget); err != nil {
			return err
		}
		if match.B, err = arena.Model(l.Entry.Game, l.Named, l.Teacher, budget); err != nil {
			return err
		}
		result, err := Match(ctx, o, match)
		if err != nil {
			return fmt.Errorf("%s is written, but not measured: %w; measure it with: dojo match %s %s --games %d", l.File, err, match.A.Player, match.B.Player, l.Games)
		}
		report.Matches = append(report.Matches, result.Summary(match.A.Player, match.B.Player))
		if !o.JSON {
			fmt.Fprintf(o.Out, "  against its teacher %-22s Elo %s, %d games\n", equal, console.Elo(result.Elo()), result.Games())
		}
	}
	if o.JSON {
		return o.PrintJSON(report)
	}
	return nil
}
