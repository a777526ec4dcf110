// Package measure implements the verbs match, evaluate, solve, tune and sweep. It returns results
// as reports. Only progress and remarks go to a log, as text.
package measure

import (
	"context"
	"fmt"
	"io"
	"time"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/internal/console"
	"dojo.example/play/terminal"
)

// If match.OpeningPlies is arena.ChoosePlies, ChooseOpenings sets it to a suitable number of random
// actions. If that is more than usual, it writes a remark to log.
func ChooseOpenings(ctx context.Context, log io.Writer, match *arena.Options) (err error) {
	if match.OpeningPlies != arena.ChoosePlies {
		return nil
	}
	if match.OpeningPlies, _, err = arena.Plies(ctx, *match); err != nil {
		return fmt.Errorf("openings: %w", err)
	}
	if match.OpeningPlies > arena.UsualPlies {
		fmt.Fprintf(log, "openings have %d random actions, because the game has fewer than %d different shorter ones (--openings sets the number of actions)\n", match.OpeningPlies, match.Games/2)
	}
	return nil
}

// OpenLog opens the match log of a game in a file; see [arena.OpenMatchLog].
func OpenLog(game, file string) (*arena.MatchLog, error) {
	if file != "" {
		if err := rundir.Refuse(file); err != nil {
			return nil, err
		}
	}
	return arena.OpenMatchLog(game, file)
}

// Match plays a match and shows its progress on log. If ctx is cancelled, it returns an error and
// the result of the games so far.
func Match(ctx context.Context, log io.Writer, match arena.Options) (arena.Result, error) {
	a, b := match.A.Player, match.B.Player
	progress := console.NewBar(log, match.Games, a+" – "+b)
	defer progress.Clear()
	match.Notice = func(text string) {
		progress.Clear()
		fmt.Fprintln(log, text)
	}
	match.Records = func(r arena.Record) error {
		if r.Forfeit != "" {
			progress.Clear()
			fmt.Fprintln(log, console.OneLine(r.Forfeit))
		}
		return nil
	}
	match.Progress = func(done int, x arena.Result) {
		remark := console.WonLostDrawn(x.Wins, x.Losses, x.Draws)
		if match.Test != nil {
			remark = fmt.Sprintf("%s, pairs %v", likelihood(match.Test, x), x.Pairs)
		}
		progress.Set(done, remark)
	}
	result, err := arena.Match(ctx, match)
	if err != nil {
		if ctx.Err() != nil { // after a cancellation, any other error may only be its consequence
			err = ctx.Err()
		}
		so := ""
		if n := result.Games(); n > 0 {
			so = fmt.Sprintf(", %d of %d games played: %s", n, match.Games, console.WonLostDrawn(result.Wins, result.Losses, result.Draws))
		}
		return result, fmt.Errorf("match of %s against %s%s: %w", a, b, so, err)
	}
	progress.Clear()
	games := result.Games() // a sequential test may end the match early
	if match.Test == nil || !decided(match.Test, result) {
		games = max(games, match.Games)
	}
	if note := terminal.OpeningsNote(result, games, match.OpeningPlies); note != "" {
		fmt.Fprintf(log, "%s against %s: %s\n", a, b, note)
	}
	return result, nil
}

// decided reports whether the sequential test has reached a verdict, so that no more games are
// needed.
func decided(test *arena.SPRT, r arena.Result) bool {
	_, v := test.Verdict(r)
	return v != arena.Continue
}

// summary returns the result of a match as a value for JSON. If interrupted is set, some games were
// not played.
func summary(match arena.Options, r arena.Result, interrupted bool) arena.Summary {
	s := r.Summary(match.A.Player, match.B.Player)
	s.Plies, s.Interrupted = match.OpeningPlies, interrupted
	return s
}

// likelihood formats the log-likelihood ratio of a result, and the bounds at which the sequential
// test ends.
func likelihood(test *arena.SPRT, r arena.Result) string {
	llr, _ := test.Verdict(r)
	reject, accept := test.Bounds()
	return fmt.Sprintf("llr %+.2f (%.2f, %.2f)", llr, reject, accept)
}

// verdict describes the result of the sequential test of a match.
func verdict(match arena.Options, r arena.Result, interrupted bool) string {
	test := match.Test
	switch _, v := test.Verdict(r); v {
	case arena.Accept:
		return fmt.Sprintf("accepted: A is stronger by %v Elo, not by %v", test.Elo1, test.Elo0)
	case arena.Reject:
		return fmt.Sprintf("rejected: A is stronger by %v Elo, not by %v", test.Elo0, test.Elo1)
	}
	switch {
	case interrupted:
		return "undecided so far"
	case r.Games() < match.Games:
		return "undecided: the match ran out of openings; choose longer ones with --openings"
	}
	return "undecided: more --games are needed"
}

// MatchReport returns the report on a match, or on the games so far if the match was interrupted.
// clock is the clock that external programs had.
func MatchReport(match arena.Options, result arena.Result, clock *arena.Clock, interrupted bool) console.Report {
	a, b := match.A.Player, match.B.Player
	line := summary(match, result, interrupted)
	if clock.Turn > 0 {
		line.Clocked = &arena.Clocked{Forfeits: result.Forfeits, Slowest: float64(clock.Slowest().Microseconds()) / 1000}
	}
	if t := match.Test; t != nil {
		llr, v := t.Verdict(result)
		reject, accept := t.Bounds()
		line.Tested = &arena.Tested{LLR: llr, LLRLow: reject, LLRHigh: accept, Verdict: v.String()}
	}
	score, low, high := result.Interval()
	facts := console.Facts{
		{"games", fmt.Sprintf("%d: %s", line.Games, console.WonLostDrawn(line.Wins, line.Losses, line.Draws))},
		{"score", fmt.Sprintf("%s [%.1f, %.1f]", console.Percent(score), 100*low, 100*high)},
		{"as first", console.Percent(line.First)},
		{"as second", console.Percent(line.Second)},
		{"Elo", console.Elo(line.Elo, line.EloLow, line.EloHigh)},
	}
	if match.Test != nil {
		p := line.Pairs
		facts = append(facts, console.Facts{
			{"pairs", fmt.Sprintf("%.4g with 0, %.4g with ½, %.4g with 1, %.4g with 1½, %.4g with 2 points", p[0], p[1], p[2], p[3], p[4])},
			{"test", fmt.Sprintf("%s; %s", likelihood(match.Test, result), verdict(match, result, interrupted))},
		}...)
	}
	if line.Scored != nil {
		facts = append(facts, [2]any{"points", fmt.Sprintf("%.1f to %.1f, a margin of %s", line.Points[0], line.Points[1], terminal.Margin(line.Margin))})
	}
	if clock.Turn > 0 {
		const nameWidth = 24 // so that a line has room for two names
		facts = append(facts, console.Facts{
			{"forfeits", fmt.Sprintf("%d by %s, %d by %s",
				line.Forfeits[0], console.Ending(a, nameWidth), line.Forfeits[1], console.Ending(b, nameWidth))},
			{"slowest", fmt.Sprintf("%v, not counting a program's first answer", clock.Slowest().Round(10*time.Microsecond))},
		}...)
	}
	return console.Report{Text: fmt.Sprintf("%s against %s\n%v", a, b, facts), Lines: []any{line}}
}
