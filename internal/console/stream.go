package console

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"

	"dojo.example/internal/regular"
)

// Interruptible returns a reader of r whose reads fail with ctx's error when ctx is cancelled. A
// read from a terminal cannot really be interrupted, so the goroutine that is waiting for it
// remains until the program exits.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	return interruptible(ctx, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// interruptible returns a reader of the data that write produces. When ctx is cancelled, its reads
// fail, as with Interruptible.
func interruptible(ctx context.Context, write func(io.Writer) error) *io.PipeReader {
	out, in := io.Pipe()
	go func() { in.CloseWithError(write(in)) }()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// OpenInput opens an input file named by the user. It may be a pipe, such as the shell's <(…). If
// no process has opened the pipe for writing yet, OpenInput waits for that or until ctx is
// cancelled.
func OpenInput(ctx context.Context, path string) (io.ReadCloser, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return regular.Open(path)
	}
	return interruptible(ctx, func(w io.Writer) error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(w, file)
		return err
	}), nil
}

// InterruptibleWriter returns a writer to w whose writes fail with ctx's error when ctx is
// cancelled, even if nobody reads the data. In that case a goroutine remains, as with
// Interruptible.
func InterruptibleWriter(ctx context.Context, w io.Writer) io.Writer {
	return interruptibleWriter{ctx, w}
}

type interruptibleWriter struct {
	context.Context
	io.Writer
}

func (w interruptibleWriter) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	text, done := bytes.Clone(p), make(chan result, 1)
	go func() {
		n, err := w.Writer.Write(text)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-w.Done():
		return 0, w.Err()
	}
}
