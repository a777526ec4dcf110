package cluster

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A hub with HubOptions.Once removes its streams when it ends. A killed hub cannot, and no later
// process continues with its streams, so an external server would keep them forever. Therefore
//
//   - the server removes messages that are older than remainFor, and as long as the hub lives it
//     moves that limit on (see prolong);
//   - the server removes a consumer that nobody has asked for messages for goneAfter;
//   - the next hub at that server, of a run or a match, removes streams without a consumer
//     (see removeRemains).
//
// The streams of a run have no such limits: a trainer may be away for any time.
var (
	remainFor    = 24 * time.Hour
	prolongEvery = 6 * time.Hour
	goneAfter    = time.Hour
)

// onceKey is the key in the metadata of a stream whose hub has HubOptions.Once.
const onceKey = "dojo-once"

// limit makes the server remove the messages of a part some time after its hub was killed. age is
// the age of the hub, and so of its oldest message: each message stays for at least remainFor.
func (p *part) limit(age time.Duration) {
	p.stream.Metadata, p.stream.MaxAge = map[string]string{onceKey: "true"}, age+remainFor
	if p.queue != nil {
		p.queue.InactiveThreshold = goneAfter
	}
}

// prolong raises the age at which the server removes the hub's messages again and again, until
// ctx ends.
func (h *Hub) prolong(ctx context.Context) {
	tick := time.NewTicker(prolongEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, p := range h.parts() { // one that is missing is made by restore; the next round comes soon enough
			if _, err := h.js.UpdateStream(ctx, p.stream); err != nil {
				h.pauseAfter(ctx, err)
			}
		}
	}
}

// removeRemains removes the streams of killed hubs with HubOptions.Once from the server.
func (h *Hub) removeRemains(ctx context.Context) {
	dead, err := h.remains(ctx)
	for _, n := range dead {
		for _, stream := range []string{n.jobs(), n.models(), n.results()} { // the last one marks the remains; see remains
			err = cmp.Or(err, h.removeStream(ctx, stream))
		}
	}
	switch {
	case err != nil:
		h.pauseAfter(ctx, err) // the next hub tries again
	case len(dead) > 0:
		h.opt.Log.Info("what killed matches had left on the NATS server is removed", "server", h.link.address, "matches", len(dead))
	}
}

// remains returns the names of killed hubs with HubOptions.Once: their stream of results has lost
// its consumer. A stream younger than goneAfter may not have its consumer yet.
func (h *Hub) remains(ctx context.Context) (dead []names, err error) {
	list := h.js.ListStreams(ctx, jetstream.WithStreamListSubject(names{"*"}.resultsSubjects()))
	for info := range list.Info() {
		run, ours := strings.CutPrefix(info.Config.Name, names{}.results())
		if ours && info.Config.Metadata[onceKey] != "" && info.State.Consumers == 0 && time.Since(info.Created) > goneAfter {
			dead = append(dead, names{run})
		}
	}
	return dead, list.Err()
}
