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
	line := make(chan string, 1)
	go func() { // stays behind if interrupted, as a read of a terminal cannot be
		text, _ := bufio.NewReader(in).ReadString('\n') // the end of the input is no
		line <- text
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false, ctx.Err()
	case text := <-line:
		text = strings.ToLower(strings.TrimSpace(text))
		return text == "y" || text == "yes", nil
	}
}
