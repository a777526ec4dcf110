package wire

import (
	"context"
	"slices"

	"dojo.example/internal/bounded"

	"github.com/nats-io/nats.go"
)

// Survey sends the question h to the hubs of all runs of a server, and returns their answers. It
// waits for the first answer at most t.Request, and for each further one at most t.Survey. If enough
// is not 0, it waits for no more than that many answers.
func Survey(ctx context.Context, conn *nats.Conn, h Hello, t Times, enough int) (all []Welcome, err error) {
	inbox := conn.NewInbox()
	answers, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }() // fails only if the connection is closed
	err = conn.PublishRequest(Names{}.Subject(KindQuestion, Identity(Identified(h.Worker, h.Key))), inbox, JSON(h))
	for wait := t.Request; err == nil && (enough == 0 || len(all) < enough); wait = t.Survey {
		limited, cancel := context.WithTimeout(ctx, wait)
		var msg *nats.Msg
		msg, err = answers.NextMsgWithContext(limited)
		cancel()
		var w Welcome
		if err == nil && bounded.Unmarshal(msg.Data, &w) == nil && !slices.ContainsFunc(all, func(o Welcome) bool { return o.Run == w.Run }) {
			all = append(all, w)
		}
	}
	if len(all) > 0 {
		err = nil
	}
	return all, err
}
