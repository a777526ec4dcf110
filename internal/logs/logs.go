// Package logs writes logs to the terminal and to files of limited size. On the terminal, log lines
// may appear between the rows of the table that shows the progress of training.
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

// New returns a logger that writes short lines to w. w may also be in use by a progress bar or by
// the table of a training run. Unless file is "", the logger also appends each record, with all its
// attributes, to that file; see [File].
func New(w io.Writer, file string) *slog.Logger {
	screen := shortHandler{w: w}
	if file == "" {
		return slog.New(screen)
	}
	return slog.New(slog.NewMultiHandler(screen, slog.NewTextHandler(File(file), nil)))
}

// A shortHandler writes a record as one line, for example " worker joined: worker box-1, system
// linux/arm64". It truncates lines to the width of a table, except for warnings and errors.
type shortHandler struct {
	w     io.Writer
	attrs []slog.Attr // attributes to add to every record
}

var _ slog.Handler = shortHandler{}

// Enabled reports whether records of a level are written; see slog.Handler.
func (h shortHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
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
	if r.Level < slog.LevelWarn {
		line = bounded.Fit("", line)
	}
	if console.IsTerminal(h.w) { // erase the progress bar; it is redrawn later
		line = "\r" + strings.Repeat(" ", max(0, console.Width(h.w)-1)) + "\r" + line
	}
	_, err := fmt.Fprintln(h.w, line)
	return err
}
