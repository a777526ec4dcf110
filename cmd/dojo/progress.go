package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows how far a piece of work has come. It is drawn on a terminal only;
// elsewhere it does nothing.
type bar struct {
	what string
	draw *progressbar.ProgressBar // nil: not on a terminal
}

// newBar begins a bar of total units of work on stderr.
func (a *app) newBar(total int, what string) *bar {
	if !terminal(a.stderr) {
		return &bar{}
	}
	return &bar{what, progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// set shows the units done so far and a short remark.
func (b *bar) set(done int, remark string) {
	if b.draw == nil {
		return
	}
	b.draw.Describe(b.what + "  " + remark)
	_ = b.draw.Set(done) // a bar that cannot be drawn harms nothing
}

// clear removes the bar.
func (b *bar) clear() {
	if b.draw != nil {
		_ = b.draw.Clear() // as above
	}
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) bool {
	if r, ok := stream.(*remembering); ok {
		stream = r.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
