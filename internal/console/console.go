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

// A Bar is a progress bar: it shows on one line how much of some work is done, and redraws that
// line. It draws only if its writer is a terminal.
type Bar struct {
	what  string
	w     io.Writer
	total int // total amount of work
	draw  *progressbar.ProgressBar
	shown time.Time // when the bar was last drawn
}

// NewBar starts a bar on w. total is the total amount of work in any unit; what describes the work.
func NewBar(w io.Writer, total int, what string) *Bar {
	b := &Bar{what: what, w: w, total: total}
	b.draw = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(IsTerminal(w)),
		progressbar.OptionSetDescription(b.description("")),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24), // the bar is narrower if the terminal is narrow
		progressbar.OptionClearOnFinish(),
	)
	return b
}

// Set shows how much of the work is done, followed by a short remark.
func (b *Bar) Set(done int, remark string) {
	const often = 100 * time.Millisecond
	if done < b.total && time.Since(b.shown) < often {
		return
	}
	b.shown = time.Now()
	_ = b.draw.Set(done) // ignore errors, because then only the bar is missing
	b.draw.Describe(b.description(remark))
}

// description returns the text next to the bar: a description of the work, and the remark if both
// fit. The line must not be wider than the terminal, because then each redraw would leave a copy of
// it on the screen.
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

// Clear removes the bar from the screen. It does nothing if the bar is nil.
func (b *Bar) Clear() {
	if b != nil {
		_ = b.draw.Clear() // ignore errors, because then the bar merely stays on the screen
	}
}

// Brief formats a duration in its two largest units, for example as 1h05m.
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

// Width returns the width of stream in columns, or bounded.LineWidth if stream is not a terminal.
func Width(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return bounded.LineWidth
}

// IsTerminal reports whether a stream is a terminal. If a stream has a method Unwrap, IsTerminal
// checks the stream inside it.
func IsTerminal(stream any) bool {
	if w, ok := stream.(interface{ Unwrap() io.Writer }); ok {
		stream = w.Unwrap()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
