package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"dojo.example/internal/atomicfile"
	"dojo.example/model"
	"dojo.example/train"
)

// stopped returns the error of a run that ended early, and says how to go on. When the time of
// --for is over, that is not an error; a message between machines that was not answered in time
// is one, though both are context.DeadlineExceeded.
func (a *app) stopped(ctx context.Context, err error, limit time.Duration, opt train.Options) error {
	again := append([]string{"train", "--run", string(opt.Folder)}, opt.Flags...)
	if deadline, limited := ctx.Deadline(); errors.Is(err, context.DeadlineExceeded) && limited && !time.Now().Before(deadline) {
		fmt.Fprintf(a.stderr, "stopped as asked after %s; %s\n", limit, goOn(again))
		return nil
	}
	return unfinished(ctx, err, again)
}

// goOn says with which command line work goes on that keeps what it has done.
func goOn(args []string) string {
	return "nothing but unfinished work is lost; go on with: " + command(args...)
}

// unfinished adds to the error of such work how to go on, if somebody interrupted it or the disk
// was full.
func unfinished(ctx context.Context, err error, args []string) error {
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return fmt.Errorf("%w; %s", context.Canceled, goOn(args))
	case atomicfile.DiskFull(err):
		return fmt.Errorf("%w; make room: %s", err, goOn(args))
	}
	return err
}

// programName returns the name of a program's file on a system: Windows runs only files with an ending.
func programName(name, system string) string {
	if system == "windows" {
		return name + ".exe"
	}
	return name
}

// farewell says what to do with a run that is complete.
func (a *app) farewell(opt train.Options, done int, best string) {
	all := fmt.Sprintf("%d generations are", done)
	if done == 1 {
		all = "1 generation is"
	}
	if best == model.NoModel {
		fmt.Fprintf(a.stderr, "\n%s complete; no model has beaten the search without one yet. More: %s --generations N\n", all, command("train", "--run", string(opt.Folder)))
		return
	}
	path := opt.Folder.Model(best)
	fmt.Fprintf(a.stderr, `
%s complete; the best model is %s. Now
  play against it       %s
  see how strong it is  %s
  take it away          %s
`, all, path, command("play", opt.Game.Name, path), command("evaluate", path), command("export", path, "--as", "binary", "-o", programName("bot", runtime.GOOS)))
}
