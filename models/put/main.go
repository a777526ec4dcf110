// Command put places a trained model into the box: it checks the model, measures it
// with the program itself, copies it to models/GAME.safetensors, and writes beside it
// what README.md shows of it, which is made anew. "make box MODEL=runs/x" calls it:
//
//	go run ./models/put [-games N] [-solved FILE,…] [-force] MODEL
//
// MODEL is a checkpoint, or a run, whose best model is taken. Of a model that lies in a
// run, the configuration and the curve of strength are kept too. A model that is not
// stronger than the one in the box is refused unless -force says otherwise. When the
// features of a game have changed, the model in the box plays no longer: copy the new
// one over it first.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"dojo/games"
	"dojo/internal/atomicfile"
	"dojo/internal/regular"
	"dojo/model"
	"dojo/models"
	"dojo/run"
)

// folder is the box's, seen from the root of the repository.
const folder = "models"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var p put
	var solved string
	flag.IntVar(&p.games, "games", 100, "games of each match, an even number")
	flag.StringVar(&solved, "solved", "", "files of solved positions, with commas between them")
	flag.BoolVar(&p.force, "force", false, "replace a model that may be stronger")
	flag.Parse()
	p.solved = strings.FieldsFunc(solved, func(r rune) bool { return r == ',' })
	if err := p.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "put:", err)
		os.Exit(1)
	}
}

// put is what the command line asks for.
type put struct {
	games  int
	solved []string // files
	force  bool

	program string // a dojo built for the purpose
}

func (p *put) run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: go run ./models/put [-games N] [-solved FILE,…] [-force] MODEL")
	}
	path, err := run.ModelFile(args[0])
	if err != nil {
		return err
	}
	r, data, err := check(path)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dojo-put-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p.program = filepath.Join(dir, "dojo")
	if err := p.command(ctx, "go", "build", "-o", p.program, "./cmd/dojo"); err != nil {
		return err
	}
	if err := p.measure(ctx, path, &r); err != nil {
		return err
	}
	if err := place(r, data); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s plays %s now; models/README.md tells how well\n", path, r.Game)
	return nil
}

// check reads a model and refuses what cannot be in the box.
func check(path string) (r record, data []byte, err error) {
	if data, err = regular.Read(path, models.MaxBytes); err != nil {
		return r, nil, err
	}
	c, err := model.Load(path)
	if err != nil {
		return r, nil, err
	}
	game, err := games.ByName(c.Game)
	if err != nil {
		return r, nil, err
	}
	if strings.Contains(c.Game, ":") {
		return r, nil, fmt.Errorf("%s plays %s: a game with options has no place in the box", path, c.Game)
	}
	if err := c.Check(game.Spec); err != nil {
		return r, nil, err
	}
	if _, err := c.Evaluator(model.Int8); err != nil {
		return r, nil, err
	}
	return newRecord(c, path, len(data)), data, nil
}

// place writes the model, its record and its configuration, and README.md.
func place(r record, data []byte) error {
	base := filepath.Join(folder, r.Game)
	if err := atomicfile.WriteBytes(base+models.Extension, data); err != nil {
		return err
	}
	if r.config != nil {
		if err := atomicfile.WriteBytes(base+".yaml", r.config); err != nil {
			return err
		}
	}
	if err := r.write(base + ".json"); err != nil {
		return err
	}
	text, err := readme(folder)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(folder, "README.md"), text)
}

// command runs a program whose words go to the terminal.
func (p *put) command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
