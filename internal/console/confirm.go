package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Confirm puts a question and waits for a line; all but y and yes is no.
func Confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (yes bool, err error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	text, _ := bufio.NewReader(Interruptible(ctx, in)).ReadString('\n') // the end of the input is no
	if ctx.Err() != nil {
		fmt.Fprintln(out)
		return false, ctx.Err()
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "y" || text == "yes", nil
}
