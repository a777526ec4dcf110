package logs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	maxLines = 100              // records with the same message that a limited log has in each period
	period   = 10 * time.Minute // see maxLines
)

// Limit returns a handler that passes on at most 100 records with the same message in ten minutes. So a log does not
// grow with what other machines send. The hundredth has an attribute which says that others are left out.
// A message must be a constant of the program; what varies belongs into attributes.
func Limit(h slog.Handler) slog.Handler { return limited{h, &lines{counts: map[string]int{}}} }

// A limited is a handler that shares its limits with others that have other attributes.
type limited struct {
	slog.Handler
	lines *lines
}

var _ slog.Handler = limited{}

// WithAttrs returns a handler whose records also have some attributes; see slog.Handler.
func (h limited) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limited{h.Handler.WithAttrs(attrs), h.lines}
}

// WithGroup returns a handler whose records have their attributes in a group; see slog.Handler.
func (h limited) WithGroup(name string) slog.Handler {
	return limited{h.Handler.WithGroup(name), h.lines}
}

// Handle passes a record on, or leaves it out; see slog.Handler.
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
	began  time.Time      // when the period began; guarded by mu
	counts map[string]int // by message; guarded by mu
}

// count counts a record, and returns the number of records with its message in this period.
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
