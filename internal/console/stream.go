package console

import (
	"context"
	"io"
	"io/fs"
	"os"

	"dojo.example/internal/regular"
)

// Interruptible returns a reader of r that ends with ctx's error when ctx
// does. A read from a terminal cannot be broken off: the goroutine that waits
// in it is left behind, which the end of the program forgives.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// OpenInput opens a file that a user names, which may be a pipe, such as the shell's <(…): then
// the wait for its writer ends with ctx's error too.
func OpenInput(ctx context.Context, path string) (io.ReadCloser, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return regular.Open(path)
	}
	return io.NopCloser(Interruptible(ctx, &pipe{path: path})), nil
}

// pipe is a named pipe that the first Read opens.
type pipe struct {
	path string
	file *os.File // nil before it is open
}

func (p *pipe) Read(b []byte) (n int, err error) {
	if p.file == nil {
		if p.file, err = os.Open(p.path); err != nil {
			return 0, err
		}
	}
	return p.file.Read(b)
}

// InterruptibleWriter is a writer whose writes end with ctx's error when ctx does, even
// if nobody reads what was written. As with Interruptible, a goroutine may then be left
// behind.
type InterruptibleWriter struct {
	*io.PipeWriter
	ctx  context.Context
	done chan error // the result of writing all
}

// NewInterruptibleWriter returns a writer to w.
func NewInterruptibleWriter(ctx context.Context, w io.Writer) *InterruptibleWriter {
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(w, out)
		out.CloseWithError(err)
		done <- err
	}()
	context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()) })
	return &InterruptibleWriter{in, ctx, done}
}

// Close waits until all is written.
func (w *InterruptibleWriter) Close() error {
	w.PipeWriter.Close()
	select {
	case err := <-w.done:
		return err
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}
