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

// FirstLot returns the id of the lot (the batch of tasks) that contains the games of a run's first
// generation.
func FirstLot(config, run, program string) string {
	return wire.NewLot("shards", worker.RunSpec{Config: config, Models: [2]string{model.NoModel}, Run: run, Program: program}, [2][]byte{}).ID()
}

// SetPicks lets a test choose which results are verified. picks reports whether a result is
// recomputed, and here whether the hub recomputes it (otherwise another worker does). picks must
// decide by the content of the entry, because results may arrive in a different order than they
// were sent.
func (h *Hub) SetPicks(picks func(audit.Entry) bool, here func() bool) {
	h.picks, h.checksHere = func(_ float64, e audit.Entry) bool { return picks(e) }, here
}

// CheckShard checks content as a hub checks a shard (a file of games) of a run's first generation,
// and returns its totals or an error.
func CheckShard(ctx context.Context, opt *train.Options, shard int, content []byte) (selfplay.Totals, error) {
	s := &shardStore{job: opt.Job(0, model.NoModel, opt.ProgramVersion, nil), run: opt}
	return s.check(ctx, shard, content)
}

// CheckPair checks content as a hub checks a pair of games of a match, and returns its totals or an
// error.
func CheckPair(ctx context.Context, match arena.Options, pair int, content []byte) (selfplay.Totals, error) {
	s := &pairStore{pairs: arena.NewPairs(match)}
	return s.check(ctx, pair, content)
}

// Accepted returns the number of results that the hub has accepted from workers.
func (h *Hub) Accepted() (n int) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for _, m := range h.roster.members {
		n += m.Tasks
	}
	return n
}

// Knows reports whether the hub has admitted a worker.
func (h *Hub) Knows(worker string) bool { return h.roster.knows(worker) }

// Remembers returns how many entries about workers the hub holds in memory.
func (h *Hub) Remembers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	return len(h.refused) + len(h.forgivable) + len(h.roster.members) + len(h.roster.turned) + len(h.roster.awaited)
}

// Refused lists the workers that the roster (the hub's list of workers) shows as refused.
func (h *Hub) Refused() (all []string) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for _, m := range h.roster.members {
		if m.Refused != "" {
			all = append(all, m.Name)
		}
	}
	return all
}

// Kill stops the hub as if its process had been killed: the workers get no message.
func (h *Hub) Kill() { h.Close(false) }

// Unheard changes the options of a hub so that its server does not listen on a port. Workers reach
// such a server with Pipe.
func Unheard(opt Options) Options {
	opt.unheard = true
	return opt
}

// Pipe connects to the hub's server within the process.
func (h *Hub) Pipe() (net.Conn, error) { return h.server.InProcessConn() }

// Free returns the number of tasks that nobody works on.
func (h *Hub) Free() int { return h.free() }

// Present returns the number of workers that are present.
func (h *Hub) Present() int { return h.roster.present() }

// Uploaded returns the number of bytes that the hub has of results that have arrived in part.
func (h *Hub) Uploaded() int {
	h.uploads.mu.Lock()
	defer h.uploads.mu.Unlock()
	return h.uploads.size
}
