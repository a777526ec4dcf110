package wire

import (
	"context"
	"slices"
	"time"

	"dojo.example/internal/bounded"

	"github.com/nats-io/nats.go"
)

// Survey sends the question h to the hubs of all runs of a server, and returns their answers. It
// waits at most t.Request for the first answer, and then at most t.Survey for the others. known is
// the number of hubs that answered the previous question, or 0. When as many have answered, Survey
// does not wait longer than a tenth of t.Survey.
func Survey(ctx context.Context, conn *nats.Conn, h Hello, t Times, known int) (all []Welcome, err error) {
	inbox := conn.NewInbox()
	answers, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }() // fails only if the connection is closed
	subject := Names{}.Subject(KindQuestion, Identity(Identified(h.Worker, h.Key)))
	if err := conn.PublishRequest(subject, inbox, JSON(h)); err != nil {
		return nil, err
	}
	end := time.Now().Add(t.Request)
	for {
		limited, cancel := context.WithDeadline(ctx, end)
		msg, err := answers.NextMsgWithContext(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && len(all) > 0:
			return all, nil
		case err != nil:
			return nil, err
		}
		var w Welcome
		if bounded.Unmarshal(msg.Data, &w) != nil || slices.ContainsFunc(all, func(o Welcome) bool { return o.Run == w.Run }) {
			continue // it was damaged on its way, or duplicated
		}
		if all = append(all, w); len(all) == 1 {
			end = time.Now().Add(t.Survey)
		}
		if soon := time.Now().Add(t.Survey / 10); known > 0 && len(all) >= known && soon.Before(end) {
			end = soon
		}
	}
}
