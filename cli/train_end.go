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

// stopped adds to err, the error of a run that stopped early, the command that continues the run.
// If the run stopped because the time of --for was up, stopped prints that command and returns nil.
// Other timeouts, such as a request without an answer, are also context.DeadlineExceeded, but
// remain errors.
func (a *app) stopped(ctx context.Context, err error, limit time.Duration, opt train.Options) error {
	again := append([]string{"train", "--run", string(opt.Folder)}, opt.Flags...)
	if deadline, limited := ctx.Deadline(); errors.Is(err, context.DeadlineExceeded) && limited && !time.Now().Before(deadline) {
		a.say(fmt.Sprintf("stopped after --for %s; %s", limit, goOn(again)), "stopped after the time of --for", "for", limit.String(), "continue", command(again...))
		return nil
	}
	return unfinished(ctx, err, again)
}

// goOn returns a sentence that tells the user which command continues interrupted work.
func goOn(args []string) string {
	return "only unfinished work is lost; continue with: " + command(args...)
}

// unfinished adds to err how to continue the work, if the work was interrupted or the disk was
// full. Otherwise it returns err unchanged.
func unfinished(ctx context.Context, err error, args []string) error {
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return fmt.Errorf("%w; %s", context.Canceled, goOn(args))
	case atomicfile.DiskFull(err):
		return fmt.Errorf("%w; free some disk space; %s", err, goOn(args))
	}
	return err
}

// programName returns the file name of a program on the given operating system. On Windows it ends
// in .exe.
func programName(name, system string) string {
	if system == "windows" {
		return name + ".exe"
	}
	return name
}

// farewell tells the user that a run is complete, and what to do next with it.
func (a *app) farewell(opt train.Options, done int, best string) {
	all := fmt.Sprintf("all %d generations are", done)
	if done == 1 {
		all = "the only generation is"
	}
	if best == model.NoModel {
		longer := command("train", "--run", string(opt.Folder)) + " --generations N"
		a.say(fmt.Sprintf("\n%s complete, but no model has beaten the search without a network yet; to train for longer: %s", all, longer),
			"the run is complete, but no model has beaten the search without a network yet", "generations", done, "longer", longer)
		return
	}
	path := opt.Folder.Model(best)
	a.say(fmt.Sprintf(`
%s complete; the best model is %s. You can now
  play against it             %s
  measure its strength        %s
  export it as a program      %s`,
		all, path, command("play", opt.Game.Name, path), command("evaluate", path), command("export", path, "--as", "binary", "-o", programName("bot", runtime.GOOS))),
		"the run is complete", "generations", done, "model", path)
}
