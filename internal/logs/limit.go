package logs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	maxLines = 100              // maximum number of records with the same message per period
	period   = 10 * time.Minute // length of a period
)

// Limit returns a handler that passes on at most 100 records with the same message in ten minutes,
// so that messages from other machines cannot make the log grow without bound. The hundredth record
// has an attribute that says that further ones are omitted. Because records are counted by message,
// every message must be a constant, with variable parts in attributes.
func Limit(h slog.Handler) slog.Handler { return limited{h, &lines{counts: map[string]int{}}} }

// limited implements the handler that Limit returns. Handlers derived from it by WithAttrs and
// WithGroup share its counts.
type limited struct {
	slog.Handler
	lines *lines
}

var _ slog.Handler = limited{}

// WithAttrs returns a handler that adds attributes to its records; see slog.Handler.
func (h limited) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limited{h.Handler.WithAttrs(attrs), h.lines}
}

// WithGroup returns a handler that puts the attributes of its records into a group; see
// slog.Handler.
func (h limited) WithGroup(name string) slog.Handler {
	return limited{h.Handler.WithGroup(name), h.lines}
}

// Handle passes a record on, or drops it if there were too many; see slog.Handler.
func (h limited) Handle(ctx context.Context, r slog.Record) error {
	n := h.lines.count(r.Message, r.Time)
	if n > maxLines {
		return nil
	}
	if n == maxLines {
		r = r.Clone()
		r.Add("more_like_this", "left out for "+period.String())
	}
	return h.Handler.Handle(ctx, r)
}

// lines counts the records of the current period.
type lines struct {
	mu     sync.Mutex
	began  time.Time      // start of the period; guarded by mu
	counts map[string]int // number of records by message; guarded by mu
}

// count counts a record and returns how many records with its message this period has had.
func (l *lines) count(message string, now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.began) >= period {
		l.began = now
		clear(l.counts)
	}
	l.counts[message]++
	return l.counts[message]
}
