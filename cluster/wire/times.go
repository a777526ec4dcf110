package wire

import (
	"cmp"
	"time"

	"dojo.example/data/rundir"
)

// HeartbeatInterval is the time between two heartbeats of a worker.
const HeartbeatInterval = rundir.AwayAfter / 5

// Times holds timeouts: how long the hub and its workers wait for each other and for a NATS server.
type Times struct {
	Request time.Duration // how long to wait for an answer before repeating a request
	Survey  time.Duration // how long to wait for the answer of another hub; the times between two surveys are multiples of it
	Outage  time.Duration // how long to wait for a NATS server that is down, for example during a failover
	// Gone applies to hubs with Welcome.Once, which no later hub replaces. If the hub is silent for
	// this time, a worker assumes that the hub has exited.
	Gone time.Duration
}

// Usual holds the default times.
var Usual = Times{Request: 5 * time.Second, Survey: 200 * time.Millisecond, Outage: 10 * time.Minute, Gone: 15 * time.Second}

// OrUsual returns a copy of t in which zero fields are replaced by the fields of Usual.
func (t Times) OrUsual() Times {
	return Times{cmp.Or(t.Request, Usual.Request), cmp.Or(t.Survey, Usual.Survey), cmp.Or(t.Outage, Usual.Outage), cmp.Or(t.Gone, Usual.Gone)}
}
