// Package logs writes logs to a terminal, to another program and to files of limited size. On a
// terminal, log lines may appear between the rows of the table that shows the progress of training.
package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
)

// A Format says how a logger writes records.
type Format string

const (
	Screen Format = "screen" // short lines for people, without times
	Text   Format = "text"   // lines of pairs KEY=VALUE; see slog.TextHandler
	JSON   Format = "json"   // JSON objects, one per line; see slog.JSONHandler
)

// Options says which records a logger writes, and how. The zero value selects short lines and
// leaves out records below the level Info.
type Options struct {
	Format Format
	Level  slog.Level // the logger leaves out records below this level
}

// New returns a logger that writes to w. With the format Screen, w may also be in use by a progress
// bar or by the table of a training run. Unless file is "", the logger also appends each record of
// at least the level Info to that file, as text with all attributes; see [File].
func New(w io.Writer, file string, opt Options) *slog.Logger {
	var h slog.Handler
	switch opt.Format {
	case Text:
		h = slog.NewTextHandler(w, &slog.HandlerOptions{Level: opt.Level})
	case JSON:
		h = slog.NewJSONHandler(w, &slog.HandlerOptions{Level: opt.Level})
	default:
		h = shortHandler{w: w, level: opt.Level}
	}
	if file != "" {
		h = slog.NewMultiHandler(h, slog.NewTextHandler(File(file), nil))
	}
	return slog.New(h)
}

// A shortHandler writes a record as one line, for example " worker joined: worker box-1, system
// linux/arm64". On a terminal, it truncates lines to the width of a table, except for warnings and
// errors.
type shortHandler struct {
	w     io.Writer
	level slog.Level  // lowest level to write
	attrs []slog.Attr // attributes to add to every record
}

var _ slog.Handler = shortHandler{}

// Enabled reports whether records of a level are written; see slog.Handler.
func (h shortHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.level
}

// WithAttrs returns a handler that adds attributes to its records; see slog.Handler.
func (h shortHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return h
}

// WithGroup returns the same handler, because it does not show groups; see slog.Handler.
func (h shortHandler) WithGroup(string) slog.Handler { return h }

// Handle writes a record; see slog.Handler.
func (h shortHandler) Handle(_ context.Context, r slog.Record) error {
	line := "  " + r.Message
	switch {
	case r.Level >= slog.LevelError:
		line = "  error: " + r.Message
	case r.Level >= slog.LevelWarn:
		line = "  warning: " + r.Message
	}
	separator := ": "
	add := func(a slog.Attr) bool {
		line += separator + a.Key + " " + bounded.Visible(a.Value.String())
		separator = ", "
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	if console.IsTerminal(h.w) {
		if r.Level < slog.LevelWarn {
			line = bounded.Fit("", line)
		}
		// Erase the progress bar. It is redrawn later.
		line = "\r" + strings.Repeat(" ", max(0, console.Width(h.w)-1)) + "\r" + line
	}
	_, err := fmt.Fprintln(h.w, line)
	return err
}
