// Package console shows progress and texts on a terminal.
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

// A Bar shows the progress of a piece of work on one line, which it writes again and again. It is
// drawn on a terminal only; elsewhere it does nothing.
type Bar struct {
	what  string
	w     io.Writer
	total int // units of work
	draw  *progressbar.ProgressBar
	shown time.Time // when it was last drawn
}

// NewBar begins a bar of total units of work on w.
func NewBar(w io.Writer, total int, what string) *Bar {
	b := &Bar{what: what, w: w, total: total}
	b.draw = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(IsTerminal(w)),
		progressbar.OptionSetDescription(b.description("")),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24), // or less, where the terminal is narrow
		progressbar.OptionClearOnFinish(),
	)
	return b
}

// Set shows the units done so far and a short remark.
func (b *Bar) Set(done int, remark string) {
	const often = 100 * time.Millisecond
	if done < b.total && time.Since(b.shown) < often {
		return
	}
	b.shown = time.Now()
	_ = b.draw.Set(done) // a bar that cannot be drawn harms nothing
	b.draw.Describe(b.description(remark))
}

// description is what is worked on, and the remark if the line has room for
// both: a line longer than the terminal would stay behind at every step.
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

// Clear removes the bar. A nil bar has nothing to remove.
func (b *Bar) Clear() {
	if b != nil {
		_ = b.draw.Clear() // as above
	}
}

// Brief is a duration in the two largest units that it has, such as 1h05m.
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

// Width is the width of the terminal that a stream is, or else bounded.LineWidth.
func Width(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return bounded.LineWidth
}

// IsTerminal reports whether a stream is a terminal, or wraps one and has a method Unwrap.
func IsTerminal(stream any) bool {
	if w, ok := stream.(interface{ Unwrap() io.Writer }); ok {
		stream = w.Unwrap()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
