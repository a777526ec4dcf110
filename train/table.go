package train

import (
	"fmt"
	"io"
	"time"

	"dojo/internal/console"
)

// TableHelp explains the columns of a [Table].
const TableHelp = `A line is printed for each generation:

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

// tableHeader is the header of a [Table], which fits 80 columns.
var tableHeader = fmt.Sprintf("%7s %7s %6s %6s %6s %6s %6s  %-20s %6s", "done", "games/s", "length", "first", "policy", "value", "error", "gate", "left")

// A Table shows people a run: a bar for each stage, on a terminal only, and a line for each
// generation.
type Table struct {
	w    io.Writer
	last int // generations that the run is to have
	bar  *console.Bar

	// The time that is left is estimated from the last generations.
	since time.Time // the last generation ended or the first began; zero: that was not seen
	took  []time.Duration
}

var _ Reporter = (*Table)(nil)

// NewTable returns the table of a run that is to have the given number of generations.
func NewTable(w io.Writer, generations int) *Table { return &Table{w: w, last: generations} }

// Begin heads the table of a run of which some generations are done.
func (t *Table) Begin(opt *Options, done int) {
	cores := "1 core"
	if opt.Workers != 1 {
		cores = fmt.Sprintf("%d cores", opt.Workers)
	}
	fmt.Fprintf(t.w, "%s into %s: %d of %d generations done\n%s, %d simulations a move, on %s\n%s\n", opt.Game.Name, opt.Folder, done, t.last,
		opt.Network.Sizes(), opt.Search.Simulations, cores, tableHeader)
	t.since = time.Now()
}

// Stage begins a bar; see [Reporter].
func (t *Table) Stage(generation int, stage string, total int) func(int, string) {
	t.Clear()
	what := fmt.Sprintf("%d/%d %s", generation+1, t.last, stage)
	if left, ok := t.left(t.last - generation); ok {
		what += ", " + console.Brief(left) + " left"
	}
	t.bar = console.NewBar(t.w, total, what)
	return t.bar.Set
}

// Clear removes the bar.
func (t *Table) Clear() {
	t.bar.Clear()
	t.bar = nil
}

// Generation prints the line of a generation; see [Reporter].
func (t *Table) Generation(m Metrics) {
	t.Clear()
	t.ended(time.Now())
	fmt.Fprintln(t.w, t.row(m))
}

// row is the line of a generation, the last that is done.
func (t *Table) row(m Metrics) string {
	done, left := m.Generation+1, "–" // is not known
	if d, ok := t.left(t.last - done); ok {
		left = console.Brief(d)
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
		fmt.Sprintf("%d/%d", done, t.last), speed, m.GameLength, 100*m.FirstWins,
		m.Fit.PolicyLoss, m.Fit.ValueLoss, m.Fit.ValueError,
		fmt.Sprintf("+%d −%d =%d %s", m.Gate.Wins, m.Gate.Losses, m.Gate.Draws, verdict), left)
}

// ended counts a generation that has just ended.
func (t *Table) ended(now time.Time) {
	const recent = 5 // generations grow longer while the window fills
	if !t.since.IsZero() {
		t.took = append(t.took, now.Sub(t.since))
	}
	t.took = t.took[max(0, len(t.took)-recent):]
	t.since = now
}

// left is the time that the given number of generations takes; ok is false before one has ended.
func (t *Table) left(generations int) (d time.Duration, ok bool) {
	for _, took := range t.took {
		d += took
	}
	n := len(t.took)
	return d * time.Duration(generations) / time.Duration(max(1, n)), n > 0
}
