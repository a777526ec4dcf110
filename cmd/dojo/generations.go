package main

import (
	"fmt"
	"time"

	"dojo/train"
)

// generationsHelp explains the columns of the table that train prints.
const generationsHelp = `A line is printed for each generation:

  done     generations of how many
  games/s  speed of self-play
  length   mean length of its games, in actions
  first    share of them that first won
  policy   loss of the policy in training: cross entropy with the search's, nats
  value    loss of the value: cross entropy with who won, nats
  error    mean difference of the value and the result, from 0 to 2
  gate     the candidate's match against the best: won, lost and drawn games,
           and whether it was promoted to be the best
  left     time until the run is complete, by that of the last generations`

// generationsHeader is the header of that table, which fits 80 columns.
func generationsHeader() string {
	return fmt.Sprintf("%7s %7s %6s %6s %6s %6s %6s  %-20s %6s", "done", "games/s", "length", "first", "policy", "value", "error", "gate", "left")
}

// generationsRow is the line of a generation, of which so many are done.
func generationsRow(m train.Metrics, done, of int, p *pace) string {
	left := "–" // is not known
	if d, ok := p.left(of - done); ok {
		left = brief(d)
	}
	verdict := "kept"
	if m.Gate.Promoted {
		verdict = "promoted"
	}
	speed := "–" // of games that were played before
	if m.GamesPerSecond > 0 {
		speed = fmt.Sprintf("%.1f", m.GamesPerSecond)
	}
	return fmt.Sprintf("%7s %7s %6.1f %5.1f%% %6.3f %6.3f %6.3f  %-20s %6s",
		fmt.Sprintf("%d/%d", done, of), speed, m.GameLength, 100*m.FirstWins,
		m.Fit.PolicyLoss, m.Fit.ValueLoss, m.Fit.ValueError,
		fmt.Sprintf("+%d −%d =%d %s", m.Gate.Wins, m.Gate.Losses, m.Gate.Draws, verdict), left)
}

// pace estimates the time that a run has left from that of its last
// generations.
type pace struct {
	since time.Time // the last generation ended or the first began; zero: that was not seen
	took  []time.Duration
}

// ended counts a generation that has just ended.
func (p *pace) ended(now time.Time) {
	const recent = 5 // generations grow longer while the window fills
	if !p.since.IsZero() {
		p.took = append(p.took, now.Sub(p.since))
	}
	p.took = p.took[max(0, len(p.took)-recent):]
	p.since = now
}

// left is the time that so many more generations take; ok is false before one
// has ended.
func (p *pace) left(generations int) (d time.Duration, ok bool) {
	for _, t := range p.took {
		d += t
	}
	n := len(p.took)
	return d * time.Duration(generations) / time.Duration(max(1, n)), n > 0
}
