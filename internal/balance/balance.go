// Package balance distributes workers among runs. Nobody assigns the workers: each of them asks the
// runs for their [Load], and decides for itself where it goes, and whether it leaves its run for
// another one.
package balance

import (
	"cmp"
	"time"
)

// A Load says how much a run needs workers.
type Load struct {
	Workers int     `json:"workers,omitempty"` // number of workers that are present
	Weight  float64 `json:"weight,omitempty"`  // the run's share of the workers, relative to other runs; 0 means 1
	Free    int     `json:"free,omitempty"`    // number of tasks that nobody works on
}

// Compare returns a negative number if the run l needs one more worker more than the run o does: a
// run with free tasks comes first, and then the run with the fewest workers for its weight.
func (l Load) Compare(o Load) int {
	return cmp.Or(cmp.Compare(min(o.Free, 1), min(l.Free, 1)), cmp.Compare(l.crowd(1), o.crowd(1)))
}

// Crowded decides whether a worker leaves the run l for one of the others, although l has tasks for
// it. It does so only if another run with free tasks would then still have fewer workers for its
// weight. All workers of the run decide for themselves at about the same time. So each of them
// leaves only with a probability such that those who leave are as many as the run has too many.
// dice is a random number from 0 to 1.
func (l Load) Crowded(others []Load, dice float64) bool {
	workers, weights, room := float64(l.Workers), l.weight(), false
	for _, o := range others {
		if o.Free > 0 {
			workers, weights = workers+float64(o.Workers), weights+o.weight()
			room = room || o.crowd(1) < l.crowd(0)
		}
	}
	excess := float64(l.Workers) - l.weight()*workers/weights
	return room && dice*float64(l.Workers) < excess
}

// crowd returns the number of workers for each unit of weight if more workers come.
func (l Load) crowd(more int) float64 { return float64(l.Workers+more) / l.weight() }

// weight returns the weight of the run. It is never 0.
func (l Load) weight() float64 { return max(cmp.Or(l.Weight, 1), 0.01) }

// Refusals records which runs have refused a worker because of its program. The keys are runs.
type Refusals map[string]refusal

// A refusal says which program a run has, and until when the worker should not try the run again.
type refusal struct {
	program string
	until   time.Time
}

// Add records that a run with the given program has refused the worker. Has then returns true for
// the time d. isNew reports whether the run has not refused the worker with this program before.
func (r Refusals) Add(run, program string, d time.Duration) (isNew bool) {
	old, ok := r[run]
	r[run] = refusal{program, time.Now().Add(d)}
	return !ok || old.program != program
}

// Has reports whether a run with the given program has refused the worker recently.
func (r Refusals) Has(run, program string) bool {
	return r[run].program == program && time.Now().Before(r[run].until)
}
