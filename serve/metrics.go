package serve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"dojo.example/data/rundir"

	"github.com/prometheus/client_golang/prometheus"
)

// A reading holds the state of a run at one time, from which its metrics are computed.
type reading struct {
	watched
	run    string // Snapshot.Run as valid UTF-8
	time   time.Time
	commit time.Time // when the last generation was committed or, before the first, when the run began
	disk   float64   // size of the run's files in bytes; 0 if it is not known yet
	ladder Ladder
}

// A family is a metric that each run has. It has a value for each value of its label, or one value
// if it has no label.
type family struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	labels []string // the values of its label; [""] if it has none
	// value returns the value for each element of labels. NaN means that the value is not known;
	// the metric is then left out.
	value func(*reading) []float64
}

// gauge returns a family without a label, whose value can rise and fall.
func gauge(name, help string, value func(*reading) float64) family {
	return family{
		prometheus.NewDesc("dojo_"+name, help, []string{"run"}, nil), prometheus.GaugeValue, []string{""},
		func(r *reading) []float64 { return []float64{value(r)} },
	}
}

// counter is like gauge, for a value that only rises, except if the run goes back.
func counter(name, help string, value func(*reading) float64) family {
	f := gauge(name, help, value)
	f.kind = prometheus.CounterValue
	return f
}

// labelled returns a family with a label that has the given values.
func labelled(kind prometheus.ValueType, name, help, label string, values []string, value func(*reading) []float64) family {
	return family{prometheus.NewDesc("dojo_"+name, help, []string{"run", label}, nil), kind, values, value}
}

var runInfo = prometheus.NewDesc("dojo_run_info", "The game of the run and the version of the program that began it; always 1.", []string{"run", "game", "program"}, nil)

var runReadable = gauge("run_readable", "1 if the files of the run can be read, else 0.", func(r *reading) float64 { return oneIf(r.Error == "") })

// stages lists the names of all stages; see train.Stage.
var stages = []string{"self-play", "train", "gate", "ladder", "verify", "complete"}

// families lists the metrics of a run whose configuration can be read, except runInfo and
// runReadable.
var families = []family{
	gauge("generations_planned", "Generations that the run will have.", func(r *reading) float64 { return float64(r.Planned) }),
	counter("generations_total", "Generations that are committed.", func(r *reading) float64 { return float64(len(r.records)) }),
	gauge("run_complete", "1 if all planned generations are committed, else 0.", func(r *reading) float64 { return oneIf(len(r.records) >= r.Planned) }),
	gauge("last_commit_timestamp_seconds", "When the last generation was committed or, before the first, when the run began; Unix time.", func(r *reading) float64 { return unix(r.commit) }),
	gauge("since_commit_seconds", "Time since dojo_last_commit_timestamp_seconds.", func(r *reading) float64 { return max(0, r.time.Sub(r.commit).Seconds()) }),

	counter("games_total", "Games of self-play, including those of the generation in progress.", func(r *reading) float64 {
		return float64(r.played) + r.sum(func(g *record) float64 { return float64(g.metrics.Games) })
	}),
	counter("positions_total", "Positions of self-play in committed generations.", func(r *reading) float64 {
		return r.sum(func(g *record) float64 { return float64(g.metrics.Positions) })
	}),
	counter("simulations_total", "Simulations of self-play in committed generations, as far as the processes that trained have recorded them.", func(r *reading) float64 {
		return math.Round(r.sum(func(g *record) float64 { return float64(g.metrics.SimulationsPerSecond * g.metrics.SelfplaySeconds) }))
	}),
	gauge("games_per_second", "Speed of self-play in the last generation.", func(r *reading) float64 {
		return r.last(func(g *record) float64 { return orUnknown(g.metrics.GamesPerSecond) })
	}),
	gauge("positions_per_second", "Speed of self-play in the last generation.", func(r *reading) float64 {
		return r.last(func(g *record) float64 { return orUnknown(g.metrics.PositionsPerSecond) })
	}),
	gauge("simulations_per_second", "Speed of self-play in the last generation.", func(r *reading) float64 {
		return r.last(func(g *record) float64 { return orUnknown(g.metrics.SimulationsPerSecond) })
	}),

	gauge("policy_loss", "Loss of the policy in the last generation: cross entropy with the search's policy, in nats.", func(r *reading) float64 {
		return r.last(func(g *record) float64 { return g.metrics.Fit.PolicyLoss })
	}),
	gauge("value_loss", "Loss of the value in the last generation: cross entropy with the outcome, in nats.", func(r *reading) float64 {
		return r.last(func(g *record) float64 { return g.metrics.Fit.ValueLoss })
	}),

	labelled(prometheus.CounterValue, "gate_games_total", "Games of gate matches, by their result for the candidate.", "result", []string{"won", "lost", "drawn"}, func(r *reading) []float64 {
		return []float64{
			r.sum(func(g *record) float64 { return float64(g.metrics.Gate.Wins) }),
			r.sum(func(g *record) float64 { return float64(g.metrics.Gate.Losses) }),
			r.sum(func(g *record) float64 { return float64(g.metrics.Gate.Draws) }),
		}
	}),
	counter("gate_promotions_total", "Candidates that became the best model.", func(r *reading) float64 {
		return r.sum(func(g *record) float64 { return oneIf(g.metrics.Gate.Promoted) })
	}),
	gauge("gate_elo", "Elo of the last candidate relative to the best model, in its gate match.", func(r *reading) float64 {
		return r.last(func(g *record) float64 { return g.metrics.Gate.Elo })
	}),
	gauge("elo", "Elo of the newest model that has played matches of the ladder.", func(r *reading) float64 {
		if n := len(r.ladder.Rungs); n > 0 {
			return r.ladder.Rungs[n-1].Elo
		}
		return math.NaN()
	}),

	labelled(prometheus.GaugeValue, "stage", "1 for the current stage, 0 for the others.", "stage", stages, func(r *reading) (all []float64) {
		for _, name := range stages {
			all = append(all, oneIf(r.Stage.Name == name))
		}
		return all
	}),
	gauge("stage_done", "Units of the current stage that are done: games, steps, or shards and pairs.", func(r *reading) float64 { return float64(r.Stage.Done) }),
	gauge("stage_units", "All units of the current stage; 0 if the number is not known.", func(r *reading) float64 { return float64(r.Stage.Total) }),

	labelled(prometheus.GaugeValue, "workers", "Workers that the trainer knows.", "state", []string{"present", "away", "refused"}, (*reading).countWorkers),
	labelled(prometheus.GaugeValue, "tasks", "Tasks that have no result and that nobody does (free), and tasks that workers and the trainer do now (held).", "state", []string{"free", "held"}, func(r *reading) []float64 {
		if r.cluster.Over {
			return []float64{0, 0}
		}
		return []float64{float64(r.cluster.Free), float64(r.cluster.Held)}
	}),
	labelled(prometheus.CounterValue, "results_total", "Results of workers since the trainer started. Refused ones are invalid or wrong.", "outcome", []string{"accepted", "refused"}, func(r *reading) []float64 {
		return []float64{float64(r.cluster.Accepted), float64(r.cluster.Refused)}
	}),
	gauge("run_disk_bytes", "Size of the files in the run's folder, measured once a minute.", func(r *reading) float64 { return orUnknown(r.disk) }),
}

// sum adds up a value of all committed generations.
func (r *reading) sum(value func(*record) float64) (sum float64) {
	for i := range r.records {
		sum += value(&r.records[i])
	}
	return sum
}

// last returns a value of the last committed generation, or NaN if there is none.
func (r *reading) last(value func(*record) float64) float64 {
	if n := len(r.records); n > 0 {
		return value(&r.records[n-1])
	}
	return math.NaN()
}

// countWorkers counts the workers that are present, away and refused.
func (r *reading) countWorkers() []float64 {
	n := make([]float64, 3)
	for _, w := range r.cluster.Workers {
		switch {
		case w.Refused != "":
			n[2]++
		case r.cluster.Over || r.time.Sub(w.Seen) > rundir.AwayAfter:
			n[1]++
		default:
			n[0]++
		}
	}
	return n
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// orUnknown returns x, or NaN if x is 0. Speeds and sizes that were not measured are 0.
func orUnknown(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return x
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// A collector computes the metrics of a server's runs; see prometheus.Collector.
type collector struct {
	server *Server
	disks  disks
	now    func() time.Time
}

// Collector returns the metrics of all runs. Each scrape of them reads what has changed in the
// runs' folders, as the pages do.
func (s *Server) Collector() prometheus.Collector {
	return &collector{server: s, now: time.Now}
}

// Describe sends the descriptions of all metrics.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	to <- runInfo
	to <- runReadable.desc
	for _, f := range families {
		to <- f.desc
	}
}

// Collect sends the metrics of all runs.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	now := c.now()
	all := c.read(now)
	c.disks.measure(all, now)
	for i := range all {
		r := &all[i]
		if runReadable.send(to, r); r.Game == "" { // the configuration cannot be read
			continue
		}
		to <- prometheus.MustNewConstMetric(runInfo, prometheus.GaugeValue, 1, r.run, valid(r.Game), valid(r.Program))
		for _, f := range families {
			f.send(to, r)
		}
	}
}

// read returns the current state of all runs, sorted by their names.
func (c *collector) read(now time.Time) (all []reading) {
	s := c.server
	s.refresh()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.runs {
		r := reading{watched: *w, run: valid(w.Run), time: now, commit: w.stamps[w.folder.ConfigPath()].time, ladder: w.ladder()}
		if n := len(w.records); n > 0 {
			r.commit = w.records[n-1].metrics.Time
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b reading) int { return cmp.Compare(a.run, b.run) })
	return all
}

// send sends the values of the metric for a run.
func (f *family) send(to chan<- prometheus.Metric, r *reading) {
	for i, x := range f.value(r) {
		labels := []string{r.run}
		if f.labels[i] != "" {
			labels = append(labels, f.labels[i])
		}
		if !math.IsNaN(x) {
			to <- prometheus.MustNewConstMetric(f.desc, f.kind, x, labels...)
		}
	}
}

// valid replaces the parts of a text that are not UTF-8, because Prometheus allows no such labels.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
