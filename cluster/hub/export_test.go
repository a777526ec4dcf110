package hub

import (
	"context"
	"net"

	"dojo.example/cluster/worker"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// FirstLot is the lot of the games of a run's first generation, as results name it.
func FirstLot(config, run, program string) string {
	return wire.NewLot("shards", worker.RunSpec{Config: config, Models: [2]string{model.NoModel}, Run: run, Program: program}, [2][]byte{}).ID()
}

// SetPicks makes the choice of the results that are computed again, and of who does that, one
// that a test knows. Results come in another order than they were sent in, so that picks goes by what
// was handed in.
func (h *Hub) SetPicks(picks func(audit.Entry) bool, here func() bool) {
	h.picks, h.checksHere = func(_ float64, e audit.Entry) bool { return picks(e) }, here
}

// CheckShard is what a hub finds in a shard of a run's first generation.
func CheckShard(ctx context.Context, opt *train.Options, shard int, content []byte) (selfplay.Totals, error) {
	s := &shardStore{job: opt.Job(0, model.NoModel, opt.ProgramVersion, nil), run: opt}
	return s.check(ctx, shard, content)
}

// CheckPair is what a hub finds in a pair of a match.
func CheckPair(ctx context.Context, match arena.Options, pair int, content []byte) (selfplay.Totals, error) {
	s := &pairStore{pairs: arena.NewPairs(match)}
	return s.check(ctx, pair, content)
}

// Accepted is the number of results that the hub has accepted from workers.
func (h *Hub) Accepted() (n int) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for _, m := range h.roster.members {
		n += m.Tasks
	}
	return n
}

// Knows reports whether a worker has been let in.
func (h *Hub) Knows(worker string) bool { return h.roster.knows(worker) }

// Remembers is the number of workers of which the hub remembers something.
func (h *Hub) Remembers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	return len(h.refused) + len(h.forgivable) + len(h.roster.members) + len(h.roster.byID) + len(h.roster.turned) + len(h.roster.awaited)
}

// Refused lists the workers that the roster shows as refused.
func (h *Hub) Refused() (all []string) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for name, m := range h.roster.members {
		if m.Refused != "" {
			all = append(all, name)
		}
	}
	return all
}

// Kill ends the hub as if its process was killed: it tells nobody.
func (h *Hub) Kill() { h.Close(false) }

// Unheard is opt for a hub whose server does not listen; workers reach it by Pipe.
func Unheard(opt Options) Options {
	opt.unheard = true
	return opt
}

// Pipe connects to the hub's server within the process.
func (h *Hub) Pipe() (net.Conn, error) { return h.server.InProcessConn() }
