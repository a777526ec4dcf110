package main

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A result has the mean duration of a generation, and how busy the parts were.
type result struct {
	period float64 // seconds from one generation's end to the next one's

	// The shares of the period in which these were busy: training, the hub as it accepts
	// results, the trainer's network, and the cores that play.
	fit, hub, link, cores float64
}

func (r result) String() string {
	return fmt.Sprintf("%.2f s a generation; busy: training %.0f %%, the hub %.0f %%, its network %.0f %%, the cores that play %.0f %%",
		r.period, 100*r.fit, 100*r.hub, 100*r.link, 100*r.cores)
}

// bottleneck names the part with the largest share. If all are idle most of the time, there are
// too few shards for the number of cores, which wait for the last shards.
func (r result) bottleneck() string {
	shares := []float64{r.fit, r.hub, r.link, r.cores}
	i := slices.Index(shares, slices.Max(shares))
	if shares[i] < 0.5 {
		return "shards"
	}
	return []string{"training", "the hub", "the network", "cores"}[i]
}

// An event is a function to be called at a simulated time.
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

// A server handles requests one after another, in the order in which they come.
type server struct {
	free float64 // the time from which on it is idle
	busy float64 // seconds that it has worked
}

// serve returns the time at which a request is done that comes at time at and takes the given
// seconds.
func (s *server) serve(at, takes float64) float64 {
	s.free = max(s.free, at) + takes
	s.busy += takes
	return s.free
}

// A core plays one task after another.
type core struct {
	machine int // 0 for the trainer's cores
}

// A task is a shard or a pair of games of the gate.
type task struct {
	generation int
	shard      bool // not a pair
}

// A world is the state of a simulation.
type world struct {
	load
	lag    int
	rng    *rand.Rand
	now    float64
	events events

	link, hub   server
	playSeconds float64 // seconds that cores have played

	tasks   []task      // tasks that no core has
	idle    []core      // cores that wait for a task
	models  map[int]int // the model that a machine has, as start numbers models; by machine
	fitting bool        // the trainer's cores are training

	played, paired map[int]int     // number of shards and of pairs whose results have come, by generation
	done           map[int]float64 // when a generation was committed
}

// simulate simulates some generations and returns their means.
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
		w.postShards(g)
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
		cores:  (w.playSeconds - from.playSeconds) / span / float64(l.trainerCores+workers*l.workerCores),
	}
}

// at schedules a call of do at time t.
func (w *world) at(t float64, do func()) { heap.Push(&w.events, event{t, do}) }

// postShards posts the tasks of a generation's shards.
func (w *world) postShards(generation int) {
	for range w.shards {
		w.tasks = append(w.tasks, task{generation, true})
	}
	w.assign()
}

// assign gives tasks to idle cores, but none to the trainer's cores while they train.
func (w *world) assign() {
	for i := 0; i < len(w.idle) && len(w.tasks) > 0; {
		c := w.idle[i]
		if c.machine == 0 && w.fitting {
			i++
			continue
		}
		w.idle = slices.Delete(w.idle, i, i+1)
		t := w.tasks[0]
		w.tasks = w.tasks[1:]
		w.start(c, t)
	}
}

// start simulates a task on a core: the worker requests it, fetches the model if the machine
// does not have it, plays, and sends the result, which the hub accepts.
func (w *world) start(c core, t task) {
	start, takes, bytes, accepted := w.now, w.pairTime, w.pairBytes, w.pairAcceptTime
	if t.shard {
		takes, bytes, accepted = w.shardTime, w.shardBytes, w.acceptTime
	}
	model := 2 * t.generation // the model of self-play; that of the gate has the next number
	if !t.shard {
		model++
	}
	if c.machine > 0 {
		start = w.hub.serve(start+roundTrip, relay)
		if w.models[c.machine] != model {
			w.models[c.machine] = model
			start = w.link.serve(start, w.modelBytes/w.setup.link)
		}
	}
	takes *= math.Exp(spread * w.rng.NormFloat64())
	w.playSeconds += takes
	w.at(start+takes, func() {
		came := w.now
		if c.machine > 0 {
			came = w.hub.serve(w.link.serve(w.now, bytes/w.setup.link), accepted)
		}
		w.at(came, func() { w.finish(t) })
		w.idle = append(w.idle, c)
		w.assign()
	})
}

// finish counts a task whose result has come; the last one of its kind ends a stage.
func (w *world) finish(t task) {
	if t.shard {
		if w.played[t.generation]++; w.played[t.generation] == w.shards {
			w.train(t.generation)
		}
		return
	}
	if w.paired[t.generation]++; w.paired[t.generation] == w.pairs {
		w.commit(t.generation)
	}
}

// train trains the candidate of a generation, and then posts the tasks of the gate. It does
// nothing unless all games of the generation have come and the one before it is committed.
func (w *world) train(generation int) {
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
		w.assign()
	})
}

// commit ends a generation, after which the games that need its model can be played.
func (w *world) commit(generation int) {
	w.done[generation] = w.now
	w.postShards(generation + 1 + w.lag)
	w.train(generation + 1)
}
