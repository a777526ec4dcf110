package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows how far a piece of work has come, on one line that is written over
// again and again. It is drawn on a terminal only; elsewhere it does nothing.
type bar struct {
	what  string
	width func() int               // of the terminal
	total int                      // units of work
	draw  *progressbar.ProgressBar // nil: not on a terminal
	shown time.Time                // when it was last drawn
}

// newBar begins a bar of total units of work on stderr.
func (a *app) newBar(total int, what string) *bar {
	if !terminal(a.stderr) {
		return &bar{}
	}
	b := &bar{what: what, width: func() int { return terminalWidth(a.stderr) }, total: total}
	b.draw = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(b.description("")),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24), // or less, where the terminal is narrow
		progressbar.OptionClearOnFinish(),
	)
	return b
}

// set shows the units done so far and a short remark.
func (b *bar) set(done int, remark string) {
	const often = 100 * time.Millisecond
	if b.draw == nil || done < b.total && time.Since(b.shown) < often {
		return
	}
	b.shown = time.Now()
	_ = b.draw.Set(done) // a bar that cannot be drawn harms nothing
	b.draw.Describe(b.description(remark))
}

// description is what is worked on, and the remark if the line has room for
// both: a line longer than the terminal would stay behind at every step.
func (b *bar) description(remark string) string {
	numbers := 2*len(strconv.Itoa(b.total)) + len(" 100% || (/) [59m59s:59m59s] ")
	room := max(0, b.width()-numbers)
	text := b.what
	if both := text + "  " + remark; remark != "" && utf8.RuneCountInString(both) <= room {
		text = both
	}
	if runes := []rune(text); len(runes) > room {
		return string(runes[:room])
	}
	return text
}

// clear removes the bar.
func (b *bar) clear() {
	if b.draw != nil {
		_ = b.draw.Clear() // as above
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
