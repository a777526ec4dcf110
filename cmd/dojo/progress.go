package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// bar shows how far a piece of work has come, on one line that is written over
// again and again. It is drawn on a terminal only; elsewhere it does nothing.
type bar struct {
	out   io.Writer // nil: not on a terminal
	width func() int
	what  string
	total int
	began time.Time
	drawn time.Time
}

// newBar begins a bar of total units of work on stderr.
func (a *app) newBar(total int, what string) *bar {
	if !terminal(a.stderr) {
		return &bar{}
	}
	return &bar{out: a.stderr, width: func() int { return terminalWidth(a.stderr) }, what: what, total: total, began: time.Now()}
}

// set shows the units done so far and a short remark.
func (b *bar) set(done int, remark string) {
	const often = 100 * time.Millisecond
	now := time.Now()
	if b.out == nil || now.Sub(b.drawn) < often {
		return
	}
	b.drawn = now
	fmt.Fprintf(b.out, "\r%s\x1b[K", b.line(done, remark, now.Sub(b.began)))
}

// line is what the bar shows: what is done, how much of it, a bar where there
// is room, the time left and the remark.
func (b *bar) line(done int, remark string, took time.Duration) string {
	room := b.width() - 1 // a full line would move the cursor to the next
	head := fmt.Sprintf("%s %d/%d ", b.what, done, b.total)
	var tail string
	if done > 0 {
		tail = " " + brief(took*time.Duration(b.total-done)/time.Duration(done))
	}
	if remark != "" {
		tail += "  " + remark
	}
	line := head + tail
	const least, most = 8, 24
	if free := min(room-len([]rune(line)), most); free >= least {
		full := min(free, free*done/max(1, b.total))
		line = head + strings.Repeat("█", full) + strings.Repeat("░", free-full) + tail
	}
	if runes := []rune(line); len(runes) > room {
		line = string(runes[:max(0, room)])
	}
	return line
}

// clear removes the bar.
func (b *bar) clear() {
	if b.out != nil {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

// brief is a duration in the two largest units that it has, such as 1h05m.
func brief(d time.Duration) string {
	d = d.Round(time.Second)
	hours, minutes, seconds := int(d/time.Hour), int(d/time.Minute)%60, int(d/time.Second)%60
	switch {
	case hours > 0:
		return fmt.Sprintf("%dh%02dm", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm%02ds", minutes, seconds)
	}
	return fmt.Sprintf("%ds", seconds)
}

// terminalWidth is the width of the terminal that a stream is, or else 80.
func terminalWidth(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return lineWidth
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) bool {
	if r, ok := stream.(*remembering); ok {
		stream = r.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
