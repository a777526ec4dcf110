package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Confirm asks a question, reads one line, and reports whether the answer was y or yes.
func Confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (yes bool, err error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	text, _ := bufio.NewReader(Interruptible(ctx, in)).ReadString('\n') // if the input ends, the answer is no
	if ctx.Err() != nil {
		fmt.Fprintln(out)
		return false, ctx.Err()
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "y" || text == "yes", nil
}
