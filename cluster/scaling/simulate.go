package main

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A result is where the time of a generation went, on the average of some.
type result struct {
	period float64 // seconds from one generation's end to the next one's

	// The shares of the period in which the one of its kind was busy: the trainer's
	// training, the hub that takes shards, its network, and the cores that play.
	fit, hub, link, cores float64
}

func (r result) String() string {
	return fmt.Sprintf("%.2f s a generation; busy: training %.0f %%, the hub %.0f %%, its network %.0f %%, the cores that play %.0f %%",
		r.period, 100*r.fit, 100*r.hub, 100*r.link, 100*r.cores)
}

// bottleneck names what has the largest share. Where all are idle for the most part
// there are too few shards for so many cores: the last ones are waited for.
func (r result) bottleneck() string {
	shares := []float64{r.fit, r.hub, r.link, r.cores}
	i := slices.Index(shares, slices.Max(shares))
	if shares[i] < 0.5 {
		return "shards"
	}
	return []string{"training", "the hub", "the network", "cores"}[i]
}

// An event is something that happens at a time.
type event struct {
	at float64
	do func()
}

// Events are a heap by time.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// A server serves one after another, in the order in which they come.
type server struct{ free, busy float64 }

// serve returns when what comes at a time and takes so long is done.
func (s *server) serve(at, takes float64) float64 {
	s.free = max(s.free, at) + takes
	s.busy += takes
	return s.free
}

// A core plays one task after another.
type core struct {
	machine int // 0 is the trainer's
}

// A task is a shard or a pair of games of the gate.
type task struct {
	generation int
	shard      bool
}

// A world is a simulation in progress.
type world struct {
	load
	lag    int
	rng    *rand.Rand
	now    float64
	events events

	link, hub server
	playing   float64 // seconds of cores

	tasks   []task      // not yet taken
	idle    []core      // that wait for a task
	models  map[int]int // the generation whose model a machine has, by machine
	fitting bool        // the trainer's cores train

	played, paired map[int]int     // how many have come back, by generation
	done           map[int]float64 // when a generation was committed
}

// simulate plays some generations.
func simulate(l load, workers, lag int) result {
	const warm, last = 3, 11 // the generations in between are measured
	w := &world{
		load: l, lag: lag, rng: rand.New(rand.NewPCG(1, 1)),
		models: map[int]int{}, played: map[int]int{}, paired: map[int]int{}, done: map[int]float64{},
	}
	for machine := range workers + 1 {
		cores := l.workerCores
		if machine == 0 {
			cores = l.trainerCores
		}
		for range cores {
			w.idle = append(w.idle, core{machine})
		}
	}
	w.rng.Shuffle(len(w.idle), func(i, j int) { w.idle[i], w.idle[j] = w.idle[j], w.idle[i] })
	for g := range lag + 1 {
		w.post(g)
	}
	var from world
	for len(w.events) > 0 {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
		if _, ok := w.done[warm]; ok && from.now == 0 {
			from = *w
		}
		if _, ok := w.done[last]; ok {
			break
		}
	}
	span := w.now - from.now
	return result{
		period: span / (last - warm),
		fit:    l.fitTime * (last - warm) / span,
		hub:    (w.hub.busy - from.hub.busy) / span,
		link:   (w.link.busy - from.link.busy) / span,
		cores:  (w.playing - from.playing) / span / float64(l.trainerCores+workers*l.workerCores),
	}
}

// at lets something happen later.
func (w *world) at(t float64, do func()) { heap.Push(&w.events, event{t, do}) }

// post makes the shards of a generation and has them played.
func (w *world) post(generation int) {
	for range w.shards {
		w.tasks = append(w.tasks, task{generation, true})
	}
	w.deal()
}

// deal gives tasks to idle cores, but none to the trainer's while it trains.
func (w *world) deal() {
	for i := 0; i < len(w.idle) && len(w.tasks) > 0; {
		c := w.idle[i]
		if c.machine == 0 && w.fitting {
			i++
			continue
		}
		w.idle = slices.Delete(w.idle, i, i+1)
		t := w.tasks[0]
		w.tasks = w.tasks[1:]
		w.begin(c, t)
	}
}

// begin has a core play a task: it is asked for, the model is fetched if the machine
// does not have it, and what comes of it is sent and taken.
func (w *world) begin(c core, t task) {
	start, takes, bytes, accepted := w.now, w.pairTime, w.pairBytes, w.pairsAcceptTime
	if t.shard {
		takes, bytes, accepted = w.shardTime, w.shardBytes, w.acceptTime
	}
	model := 2 * t.generation // that of the games; the gate has another
	if !t.shard {
		model++
	}
	if c.machine > 0 {
		start = w.hub.serve(start+roundTrip, hand)
		if w.models[c.machine] != model {
			w.models[c.machine] = model
			start = w.link.serve(start, w.modelBytes/w.setup.link)
		}
	}
	takes *= math.Exp(spread * w.rng.NormFloat64())
	w.playing += takes
	w.at(start+takes, func() {
		came := w.now
		if c.machine > 0 {
			came = w.hub.serve(w.link.serve(w.now, bytes/w.setup.link), accepted)
		}
		w.at(came, func() { w.came(t) })
		w.idle = append(w.idle, c)
		w.deal()
	})
}

// came counts a task that has come back; the last one of its kind ends a stage.
func (w *world) came(t task) {
	if t.shard {
		if w.played[t.generation]++; w.played[t.generation] == w.shards {
			w.fit(t.generation)
		}
		return
	}
	if w.paired[t.generation]++; w.paired[t.generation] == w.pairs {
		w.commit(t.generation)
	}
}

// fit trains the candidate of a generation whose games are there, if the one before is
// committed; then the gate is played.
func (w *world) fit(generation int) {
	if _, ok := w.done[generation-1]; !ok && generation > 0 || w.played[generation] < w.shards || w.fitting {
		return
	}
	w.fitting = true
	w.at(w.now+w.fitTime, func() {
		w.fitting = false
		gate := make([]task, w.pairs)
		for i := range gate {
			gate[i] = task{generation, false}
		}
		w.tasks = append(gate, w.tasks...) // the trainer waits for the gate
		w.deal()
	})
}

// commit ends a generation, which gives the next games their model.
func (w *world) commit(generation int) {
	w.done[generation] = w.now
	w.post(generation + 1 + w.lag)
	w.fit(generation + 1)
}
