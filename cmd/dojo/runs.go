package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"dojo/configs"
	"dojo/games"
	"dojo/internal/version"
	"dojo/model"
	"dojo/run"
	"dojo/train"
)

// prepared is a run that the command line names.
type prepared struct {
	opt    train.Options
	frozen configs.Frozen
	start  *model.Checkpoint // that a new run begins with; nil for random weights
	begun  bool              // its folder has it already
}

// prepare finds the run that the flags name, or decides on a new one, and says what to
// do there. An existing run keeps its configuration, but for a number of generations
// other than 0.
func prepare(flags runFlags, preset string, generations int) (p prepared, err error) {
	folder := flags.folder(preset)
	if p.start, err = flags.start(); err != nil {
		return p, err
	}
	p.frozen, err = configs.Thaw(folder)
	p.begun = err == nil
	switch {
	case p.begun:
		err = p.goOn(folder, flags, preset)
	case errors.Is(err, run.ErrNoRun):
		err = p.choose(folder, flags, preset)
	}
	if err != nil {
		return p, err
	}
	if generations > 0 && p.begun {
		if err := longer(folder, generations); err != nil {
			return p, err
		}
	}
	if generations > 0 {
		p.frozen.Config.Train.Generations = generations
	}
	if p.opt, err = options(folder, p.frozen); err != nil {
		return p, err
	}
	p.opt.Workers = flags.workers
	if p.opt.Workers < 1 {
		p.opt.Workers = runtime.GOMAXPROCS(0)
	}
	if !p.begun {
		err = p.opt.Validate()
	}
	return p, err
}

// goOn checks that the flags agree with a run that has begun.
func (p *prepared) goOn(folder run.Folder, flags runFlags, preset string) error {
	if err := agree(folder, p.frozen.Config, preset, flags.settings); err != nil {
		return err
	}
	if p.start != nil && p.start.Hash() != p.frozen.Start {
		return fmt.Errorf("%s was not begun with the weights of %s; --from is for a new run: choose another folder with --run", folder, flags.from)
	}
	return nil
}

// choose decides what a new run is to be.
func (p *prepared) choose(folder run.Folder, flags runFlags, preset string) (err error) {
	if preset == "" {
		preset = defaultPreset
	}
	p.frozen.Program, p.frozen.Name = version.String(), folder.Base()
	c := &p.frozen.Config
	if *c, err = configs.Load(preset, flags.settings...); err != nil {
		return err
	}
	game, err := gameNamed(c.Game)
	if err == nil && c.MCTS.Tactics.Tables && !game.Tables {
		err = usagef("mcts.tactics.tables: there are no tables of endings for %s", game.Name)
	}
	if err != nil || p.start == nil {
		return err
	}
	p.frozen.Start = p.start.Hash()
	return adopt(c, game, p.start, preset, flags)
}

// begin makes the run's folder if it is a new run.
func (p *prepared) begin() error {
	if p.begun {
		return nil
	}
	text, err := p.frozen.Text()
	if err != nil {
		return err
	}
	return p.opt.Folder.Begin(text, p.start)
}

// start loads the model whose weights a new run begins with; nil if it is to begin with
// random ones.
func (f *runFlags) start() (*model.Checkpoint, error) {
	if f.from == "" {
		return nil, nil
	}
	if strings.HasSuffix(f.from, inFloats) {
		return nil, usagef("--from %s: training is in floats anyway; leave out %s", f.from, inFloats)
	}
	c, err := loadModel(f.from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	return c, nil
}

// adopt gives a configuration the network of the model that the run begins with.
func adopt(c *configs.Config, game games.Entry, start *model.Checkpoint, preset string, flags runFlags) error {
	if start.Game != c.Game {
		return fmt.Errorf("--from %s plays %s, and preset %s is for %s: name a preset for %s", flags.from, start.Game, preset, c.Game, start.Game)
	}
	if err := start.Check(game.Spec); err != nil {
		return fmt.Errorf("--from %s: %w", flags.from, err)
	}
	for _, s := range flags.settings {
		if strings.HasPrefix(s, "network.") {
			return fmt.Errorf("--set %s changes the network, and --from %s brings its own", s, flags.from)
		}
	}
	c.Network = start.Network.Configured()
	if c.Network.For(game.Spec) != start.Network {
		return fmt.Errorf("--from %s: its network has parts that no configuration can name", flags.from)
	}
	return nil
}

// folder is the folder of the run that the flags or else a preset name.
func (f *runFlags) folder(preset string) run.Folder {
	if f.dir != "" {
		return run.Folder(f.dir)
	}
	if preset == "" {
		preset = defaultPreset
	}
	base := filepath.Base(preset)
	return run.Folder(filepath.Join("runs", base[:len(base)-len(filepath.Ext(base))]))
}

// options is a configuration as package train takes it.
func options(folder run.Folder, frozen configs.Frozen) (train.Options, error) {
	c := frozen.Config
	game, err := games.ByName(c.Game)
	if err != nil {
		return train.Options{}, err
	}
	return train.Options{
		Game:           game.Game,
		Network:        c.Network.For(game.Spec),
		Search:         c.MCTS,
		Selfplay:       c.Selfplay,
		Train:          c.Train,
		Gate:           c.Gate,
		Data:           c.Data,
		Seed:           c.Seed,
		Start:          frozen.Start,
		Folder:         folder,
		Name:           frozen.Name,
		ProgramVersion: version.String(),
	}, nil
}

// longer is an error where a run has more generations than it is to have.
func longer(folder run.Folder, generations int) error {
	records, err := folder.Records()
	if err == nil && len(records) > generations {
		err = fmt.Errorf("%s has %d generations already, and --generations %d would be fewer", folder, len(records), generations)
	}
	return err
}

// keep writes the configuration of a run, whose stages are locked, if it is
// not what the folder has.
func keep(folder run.Folder, frozen configs.Frozen) error {
	if old, err := configs.Thaw(folder); err != nil || old.Config == frozen.Config {
		return err
	}
	text, err := frozen.Text()
	if err != nil {
		return err
	}
	return folder.Freeze(text)
}

// agree reports a preset or setting that differs from those of the run.
func agree(folder run.Folder, c configs.Config, preset string, settings []string) error {
	want := c
	if preset != "" {
		var err error
		if want, err = configs.Load(preset); err != nil {
			return err
		}
		want.Train.Generations = c.Train.Generations
		if want.Game != c.Game {
			return fmt.Errorf("%s is a run of %s, not of %s; choose another folder with --run", folder, c.Game, want.Game)
		}
		if len(settings) == 0 && want != c {
			return fmt.Errorf("%s was begun with other settings than preset %s; continue it with: %s", folder, preset, command("train", "--run", string(folder)))
		}
		want = c
	}
	for _, s := range settings {
		if err := want.Set(s); err != nil {
			return err
		}
		if want != c {
			return fmt.Errorf("%s was begun without --set %s, and a run keeps its settings; choose another folder with --run", folder, s)
		}
	}
	return nil
}
