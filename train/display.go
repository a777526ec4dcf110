package train

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"dojo.example/internal/console"
)

// DisplayHelp explains the columns that a [Display] prints.
const DisplayHelp = `A line is printed for each generation:

  done     generations of how many
  games/s  speed of self-play
  length   mean length of its games, in actions
  first    share of them that first won
  policy   loss of the policy in training: cross entropy with the search's, nats
  value    loss of the value: cross entropy with who won, nats
  error    mean difference of the value and the result, from 0 to 2
  gate     the candidate's match against the best: won, lost and drawn games,
           and whether it was promoted to be the best
  left     time until the run is complete, estimated from the last generations`

// displayHeader is the header of the lines that a Display prints. It fits in 80 columns.
var displayHeader = fmt.Sprintf("%7s %7s %6s %6s %6s %6s %6s  %-20s %6s", "done", "games/s", "length", "first", "policy", "value", "error", "gate", "left")

// A Stage says what a run is doing at the moment.
type Stage struct {
	Generation int `json:"generation"`
	// Name of the stage, one of the names in the tag ts.
	Name string `json:"name" ts:"'self-play' | 'train' | 'gate' | 'ladder' | 'verify' | 'complete'"`
	// Number of units that are done; units are games, steps, or shards and pairs.
	Done int `json:"done"`
	// Total number of units; 0 if it is not known.
	Total int `json:"total"`
	// A short text, such as the speed; may be empty.
	Remark string `json:"remark"`
	// Time at which the run last wrote a file, as far as the program has seen.
	Written time.Time `json:"written,omitzero"`
}

// A Display shows the progress of a run to the user. It prints a line for each generation. On a
// terminal, it also shows a progress bar for each stage.
type Display struct {
	w    io.Writer
	last int // number of generations that the complete run has
	bar  *console.Bar
	now  atomic.Pointer[Stage] // the current stage; nil before the first stage
	// Times at which this process opened the run and at which the last few generations ended.
	ends []time.Time
}

var _ Reporter = (*Display)(nil)

// NewDisplay returns a display for a run. generations is the number of generations that the
// complete run has.
func NewDisplay(w io.Writer, generations int) *Display { return &Display{w: w, last: generations} }

// Begin prints the header. done is the number of generations that are already committed.
func (d *Display) Begin(opt *Options, done int) {
	cores := "1 core"
	if opt.Workers != 1 {
		cores = fmt.Sprintf("%d cores", opt.Workers)
	}
	fmt.Fprintf(d.w, "%s into %s: %d of %d generations done\n%s, %d simulations a move, on %s\n%s\n", opt.Game.Name, opt.Folder, done, d.last,
		opt.Network.Sizes(), opt.Search.Simulations, cores, displayHeader)
	d.ended(time.Now())
}

// Stage shows a progress bar for a stage; see [Reporter].
func (d *Display) Stage(generation int, stage string, total int) func(int, string) {
	d.Clear()
	what := fmt.Sprintf("%d/%d %s", generation+1, d.last, stage)
	if left, ok := d.Left(generation); ok {
		what += ", " + console.Brief(left) + " left"
	}
	bar := console.NewBar(d.w, total, what)
	d.bar = bar
	d.now.Store(&Stage{Generation: generation, Name: stage, Total: total})
	return func(done int, remark string) {
		d.now.Store(&Stage{Generation: generation, Name: stage, Done: done, Total: total, Remark: remark})
		bar.Set(done, remark)
	}
}

// Now returns the current stage, or nil before the first stage. It is safe for concurrent use.
func (d *Display) Now() *Stage { return d.now.Load() }

// Clear removes the progress bar from the terminal.
func (d *Display) Clear() {
	d.bar.Clear()
	d.bar = nil
}

// Generation prints the line of a generation; see [Reporter].
func (d *Display) Generation(m Metrics) {
	d.Clear()
	d.ended(time.Now())
	fmt.Fprintln(d.w, d.row(m))
}

// Warn prints a warning about a problem that does not stop the run.
func (d *Display) Warn(err error) {
	d.Clear()
	fmt.Fprintf(d.w, "warning: %v\n", err)
}

// row returns the line of a generation that has just ended.
func (d *Display) row(m Metrics) string {
	done, left := m.Generation+1, "–" // left is "–" if the time left is not known
	if t, ok := d.Left(done); ok {
		left = console.Brief(t)
	}
	verdict := "kept"
	if m.Gate.Promoted {
		verdict = "promoted"
	}
	// speed is "–" if another process, or this process before it was restarted, played the games.
	speed := "–"
	if m.GamesPerSecond > 0 {
		speed = fmt.Sprintf("%.1f", m.GamesPerSecond)
	}
	return fmt.Sprintf("%7s %7s %6.1f %5.1f%% %6.3f %6.3f %6.3f  %-20s %6s",
		fmt.Sprintf("%d/%d", done, d.last), speed, m.GameLength, 100*m.FirstWins,
		m.Fit.PolicyLoss, m.Fit.ValueLoss, m.Fit.ValueError,
		fmt.Sprintf("+%d −%d =%d %s", m.Gate.Wins, m.Gate.Losses, m.Gate.Draws, verdict), left)
}

// ended records the time at which the run was opened or a generation ended. The estimate of the
// time left uses only the last few generations, because generations take longer while the window
// grows.
func (d *Display) ended(now time.Time) {
	const recent = 5
	d.ends = append(d.ends, now)
	d.ends = d.ends[max(0, len(d.ends)-1-recent):]
}

// Left estimates how long the rest of the run will take, from the time that the last generations
// took. done is the number of committed generations. ok is false until a generation has ended.
func (d *Display) Left(done int) (t time.Duration, ok bool) {
	if n := len(d.ends) - 1; n > 0 {
		return d.ends[n].Sub(d.ends[0]) * time.Duration(d.last-done) / time.Duration(n), true
	}
	return 0, false
}
