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

// interruptibleWriter is a writer whose writes end with ctx's error when ctx does, even
// if nobody reads what was written. As with interruptible, a goroutine may then be left
// behind.
type interruptibleWriter struct {
	*io.PipeWriter
	ctx  context.Context
	done chan error // the result of writing all
}

func newInterruptibleWriter(ctx context.Context, w io.Writer) *interruptibleWriter {
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(w, out)
		out.CloseWithError(err)
		done <- err
	}()
	context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()) })
	return &interruptibleWriter{in, ctx, done}
}

// Close waits until all is written.
func (w *interruptibleWriter) Close() error {
	w.PipeWriter.Close()
	select {
	case err := <-w.done:
		return err
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// remembering is a writer that remembers the first error and writes no more
// after it. Verbs print without looking at errors: run looks once, at the end.
type remembering struct {
	w   io.Writer
	err error
}

func (r *remembering) Write(p []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	n, r.err = r.w.Write(p)
	return n, r.err
}
