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

// prepare finds or begins the run that the flags name and says what to do
// there. An existing run keeps its configuration, but for a number of
// generations other than 0.
func prepare(flags runFlags, preset string, generations int, report train.Reporter) (opt train.Options, frozen configs.Frozen, err error) {
	folder := flags.folder(preset)
	start, err := flags.start()
	if err != nil {
		return opt, frozen, err
	}
	frozen, err = configs.Thaw(folder)
	begun := err == nil
	switch {
	case begun:
		if err = agree(folder, frozen.Config, preset, flags.settings); err == nil && frozen.Name == "" { // of format 1
			frozen.Name, err = train.NameOf(folder)
		}
		if err == nil && start != nil && start.Hash() != frozen.Start {
			err = fmt.Errorf("%s was not begun with the weights of %s; --from is for a new run: choose another folder with --run", folder, flags.from)
		}
	case errors.Is(err, run.ErrNoRun):
		if preset == "" {
			preset = defaultPreset
		}
		frozen.Program, frozen.Name = version.String(), folder.Base()
		frozen.Config, err = configs.Load(preset, flags.settings...)
		if err == nil && start != nil {
			frozen.Start = start.Hash()
			err = adopt(&frozen.Config, start, preset, flags)
		}
	}
	if err != nil {
		return opt, frozen, err
	}
	if generations > 0 && begun {
		if err := longer(folder, generations); err != nil {
			return opt, frozen, err
		}
	}
	if generations > 0 {
		frozen.Config.Train.Generations = generations
	}
	if opt, err = options(folder, frozen); err != nil {
		return opt, frozen, err
	}
	opt.Workers, opt.Report = flags.workers, report
	if opt.Workers < 1 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if begun {
		return opt, frozen, nil
	}
	if err := opt.Validate(); err != nil {
		return opt, frozen, err
	}
	text, err := frozen.Text()
	if err != nil {
		return opt, frozen, err
	}
	return opt, frozen, folder.Begin(text, start)
}

// start loads the model whose weights a new run begins with; nil if it is to begin with
// random ones.
func (f *runFlags) start() (*model.Checkpoint, error) {
	if f.from == "" {
		return nil, nil
	}
	path, err := run.ModelFile(f.from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	c, err := model.Load(path)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	return c, nil
}

// adopt gives a configuration the network of the model that the run begins with.
func adopt(c *configs.Config, start *model.Checkpoint, preset string, flags runFlags) error {
	game, err := games.ByName(c.Game)
	if err != nil {
		return err
	}
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
		NewSearch:      game.NewSearch,
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
