// Package console shows progress and text on a terminal.
package console

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"dojo.example/internal/bounded"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A Bar shows the progress of some work on one line, which it redraws. It draws only on a terminal;
// on other writers it does nothing.
type Bar struct {
	what  string
	w     io.Writer
	total int // number of units of work
	draw  *progressbar.ProgressBar
	shown time.Time // time of the last drawing
}

// NewBar starts a bar on w for total units of work.
func NewBar(w io.Writer, total int, what string) *Bar {
	b := &Bar{what: what, w: w, total: total}
	b.draw = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(IsTerminal(w)),
		progressbar.OptionSetDescription(b.description("")),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24), // less if the terminal is narrow
		progressbar.OptionClearOnFinish(),
	)
	return b
}

// Set shows the number of units done so far and a short remark.
func (b *Bar) Set(done int, remark string) {
	const often = 100 * time.Millisecond
	if done < b.total && time.Since(b.shown) < often {
		return
	}
	b.shown = time.Now()
	_ = b.draw.Set(done) // an error is harmless: the bar is not drawn
	b.draw.Describe(b.description(remark))
}

// description returns what is being worked on, followed by the remark if the line has room for
// both. A line longer than the terminal would leave a copy behind at every redraw.
func (b *Bar) description(remark string) string {
	numbers := 2*len(strconv.Itoa(b.total)) + len(" 100% || (/) [59m59s:59m59s] ")
	room := max(0, Width(b.w)-numbers)
	text := b.what
	if both := text + "  " + remark; remark != "" && utf8.RuneCountInString(both) <= room {
		text = both
	}
	if runes := []rune(text); len(runes) > room {
		return string(runes[:room])
	}
	return text
}

// Clear removes the bar. On a nil bar it does nothing.
func (b *Bar) Clear() {
	if b != nil {
		_ = b.draw.Clear() // an error is harmless
	}
}

// Brief formats a duration in its two largest units, such as 1h05m.
func Brief(d time.Duration) string {
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

// Width returns the width of the terminal that stream is, or bounded.LineWidth if it is not a
// terminal.
func Width(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return bounded.LineWidth
}

// IsTerminal reports whether a stream is a terminal. A stream that wraps another one has a method
// Unwrap.
func IsTerminal(stream any) bool {
	if w, ok := stream.(interface{ Unwrap() io.Writer }); ok {
		stream = w.Unwrap()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
