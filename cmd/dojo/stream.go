package main

import (
	"context"
	"io"
)

// interruptible returns a reader of r that ends with ctx's error when ctx
// does. A read from a terminal cannot be broken off: the goroutine that waits
// in it is left behind, which the end of the program forgives.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}
