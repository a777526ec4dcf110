// Package measure is what the verbs that measure do: matches and ladders of them, solved positions
// and how well a player does in them, the tuning of a search. Results are for people or JSON.
package measure

import (
	"context"
	"fmt"
	"time"

	"dojo.example/arena"
	"dojo.example/cluster"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/play/terminal"
)

// Settings are those of matches.
type Settings struct {
	Games, Openings, Simulations, Workers int
	Seed                                  uint64
	Remote                                *cluster.Matches // nil if this process plays alone
}

// A Pairing is who plays in a match.
type Pairing struct {
	Game   games.Entry
	Names  [2]string
	Makers [2]arena.Maker

	// Players are what workers are told of them, if they help: see [arena.Portable].
	Players [2]string

	// Balanced says which openings are played; nil: all.
	Balanced func(context.Context, engine.Position) (bool, error)

	// Test ends the match when it is decided; nil: none.
	Test *arena.SPRT

	// play plays it; nil is [arena.Match].
	play func(context.Context, arena.Options) (arena.Result, error)
}

// Tested is the log-likelihood ratio of a result between the bounds of the test.
func (m *Pairing) Tested(r arena.Result) string {
	llr, _ := m.Test.Verdict(r)
	reject, accept := m.Test.Bounds()
	return fmt.Sprintf("llr %+.2f (%.2f, %.2f)", llr, reject, accept)
}

// Verdict says in words what the test has found.
func (m *Pairing) Verdict(r arena.Result) string {
	switch _, v := m.Test.Verdict(r); v {
	case arena.Accept:
		return fmt.Sprintf("accepted: A is stronger by %v Elo rather than by %v", m.Test.Elo1, m.Test.Elo0)
	case arena.Reject:
		return fmt.Sprintf("rejected: A is stronger by %v Elo rather than by %v", m.Test.Elo0, m.Test.Elo1)
	}
	return "undecided: it needs more --games"
}

// Match plays a match, and shows how far it is.
func Match(ctx context.Context, o console.Output, opt Settings, m Pairing) (arena.Result, error) {
	progress := console.NewBar(o.Err, opt.Games, m.Names[0]+" – "+m.Names[1])
	defer progress.Clear()
	if m.play == nil {
		m.play = arena.Match
	}
	match := arena.Options{
		Game:         m.Game.Game.Game,
		A:            m.Makers[0],
		B:            m.Makers[1],
		Names:        m.Names,
		Games:        opt.Games,
		Seed:         opt.Seed,
		OpeningPlies: opt.Openings,
		Balanced:     m.Balanced,
		Workers:      opt.Workers,
		Records: func(r arena.Record) {
			if r.Forfeit != nil {
				progress.Clear()
				fmt.Fprintln(o.Err, console.OneLine(r.Forfeit.Error()))
			}
		},
		Progress: func(done int, x arena.Result) {
			remark := console.WonLostDrawn(x.Wins, x.Losses, x.Draws)
			if m.Test != nil {
				remark = m.Tested(x)
			}
			progress.Set(done, remark)
		},
	}
	if m.Test != nil {
		match.Stop = func(r arena.Result) bool {
			_, v := m.Test.Verdict(r)
			return v != arena.Continue
		}
	}
	if opt.Remote != nil {
		var err error
		if match.Source, err = opt.Remote.Source(match, m.Players); err != nil {
			return arena.Result{}, err
		}
	}
	result, err := m.play(ctx, match)
	if err != nil {
		so := ""
		if n := result.Games(); n > 0 {
			so = fmt.Sprintf(", %d of %d games played: %s", n, opt.Games, console.WonLostDrawn(result.Wins, result.Losses, result.Draws))
		}
		return result, fmt.Errorf("match of %s against %s%s: %w", m.Names[0], m.Names[1], so, err)
	}
	progress.Clear()
	if note := terminal.RepeatNote(result, opt.Openings); note != "" {
		fmt.Fprintf(o.Err, "%s against %s: %s\n", m.Names[0], m.Names[1], note)
	}
	return result, nil
}

// PrintMatch prints the result of a match. clock is the clock of external programs, or nil.
func PrintMatch(o console.Output, m Pairing, result arena.Result, clock *arena.Clock) error {
	names := m.Names
	clocked, slowest := clock != nil, time.Duration(0)
	if clocked {
		slowest = clock.Slowest()
	}
	line := result.Summary(names[0], names[1])
	if o.JSON {
		if clocked {
			line.Clocked = &arena.Clocked{Forfeits: result.Forfeits, Slowest: float64(slowest.Microseconds()) / 1000}
		}
		if m.Test != nil {
			llr, verdict := m.Test.Verdict(result)
			line.Tested = &arena.Tested{LLR: llr, Verdict: verdict.String()}
		}
		return o.PrintJSON(line)
	}
	score, low, high := result.Interval()
	fmt.Fprintf(o.Out, "%s against %s\n", names[0], names[1])
	o.Facts([][2]any{
		{"games", fmt.Sprintf("%d: %s", result.Games(), console.WonLostDrawn(result.Wins, result.Losses, result.Draws))},
		{"score", fmt.Sprintf("%s [%.1f, %.1f]", console.Percent(score), 100*low, 100*high)},
		{"as first", console.Percent(result.Seat(engine.First))},
		{"as second", console.Percent(result.Seat(engine.Second))},
		{"Elo", console.Elo(result.Elo())},
	})
	if m.Test != nil {
		o.Facts([][2]any{
			{"pairs", fmt.Sprintf("%.4g with 0, %.4g with ½, %.4g with 1, %.4g with 1½, %.4g with 2 points",
				result.Pairs[0], result.Pairs[1], result.Pairs[2], result.Pairs[3], result.Pairs[4])},
			{"test", fmt.Sprintf("%s; %s", m.Tested(result), m.Verdict(result))},
		})
	}
	if line.Scored != nil {
		o.Facts([][2]any{
			{"points", fmt.Sprintf("%.1f to %.1f, a margin of %s", line.Points[0], line.Points[1], terminal.Margin(line.Margin))},
		})
	}
	if clocked {
		const nameWidth = 24 // so that both names fit the line
		o.Facts([][2]any{
			{"forfeits", fmt.Sprintf("%d by %s, %d by %s",
				result.Forfeits[0], console.Ending(names[0], nameWidth), result.Forfeits[1], console.Ending(names[1], nameWidth))},
			{"slowest", fmt.Sprintf("%v, of a program's answers after its first", slowest.Round(10*time.Microsecond))},
		})
	}
	return nil
}
