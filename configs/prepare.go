package configs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/internal/version"
	"dojo.example/model"
	"dojo.example/train"
)

// DefaultPreset is the preset of a run for which none is named.
const DefaultPreset = "onitama-quick"

// A Request names a run, new or existing, and how it is configured.
type Request struct {
	Folder      rundir.Folder     // "" is runs/PRESET
	Preset      string            // "" is DefaultPreset for a new run, and whatever an existing one has
	Settings    []string          // changes of the preset; see [Load]
	Start       *model.Checkpoint // a new run begins with its weights; nil for random ones
	From        string            // what errors call Start
	Generations int               // length of the run; 0 is as configured
	Workers     int               // number of goroutines
}

// A Prepared run can be begun or continued.
type Prepared struct {
	Options train.Options
	Text    []byte // of its run.yaml
	frozen  Frozen
	start   *model.Checkpoint
	begun   bool // its folder has it already
}

// In is the folder of the run.
func (q Request) In() rundir.Folder {
	if q.Folder != "" {
		return q.Folder
	}
	base := filepath.Base(q.preset())
	return rundir.Folder(filepath.Join("runs", strings.TrimSuffix(base, filepath.Ext(base))))
}

func (q Request) preset() string {
	return cmp.Or(q.Preset, DefaultPreset)
}

// A DifferentError is an error about an existing run with other settings than the preset's.
type DifferentError struct {
	error
	Folder rundir.Folder
}

// Prepare finds the run that is requested, or decides what a new one will be, and writes nothing.
// An existing run keeps its configuration, except for its number of generations.
func Prepare(q Request) (p Prepared, err error) {
	folder := q.In()
	p.start = q.Start
	p.frozen, err = Thaw(folder)
	p.begun = err == nil
	switch {
	case p.begun:
		err = q.agree(folder, p.frozen)
	case errors.Is(err, rundir.ErrNoRun):
		p.frozen, err = q.choose(folder)
	}
	if err != nil {
		return p, err
	}
	if q.Generations > 0 {
		without(p.frozen.comments, []string{"train.generations"})
		p.frozen.Config.Train.Generations = q.Generations
	}
	err = p.complete(folder)
	p.Options.Workers = q.Workers
	return p, err
}

// complete fills in what follows from the configuration, which must be possible for a new run.
func (p *Prepared) complete(folder rundir.Folder) (err error) {
	if p.Options, err = p.frozen.Options(folder); err != nil {
		return err
	}
	if !p.begun {
		if err := p.Options.Validate(); err != nil {
			return err
		}
	}
	p.Text, err = p.frozen.Text()
	return err
}

// Prepare is the function Prepare for a run with just this configuration, which a run that has begun
// must have, and for a new one the model that it begins with, if there is one.
func (f Frozen) Prepare(folder rundir.Folder, start *model.Checkpoint) (p Prepared, err error) {
	if start != nil {
		f.Start = start.Hash()
	}
	p = Prepared{frozen: f, start: start}
	switch old, err := Thaw(folder); {
	case err == nil && old.Config.Complete() != f.Config:
		return p, DifferentError{fmt.Errorf("%s was begun with other settings", folder), folder}
	case err == nil:
		p.frozen, p.begun = old, true
	case !errors.Is(err, rundir.ErrNoRun):
		return p, err
	}
	return p, p.complete(folder)
}

// Begun reports whether the run's folder holds the run already.
func (p *Prepared) Begun() bool { return p.begun }

// Begin makes the run's folder if it is a new run.
func (p *Prepared) Begin() error {
	if p.begun {
		return nil
	}
	err := p.Options.Folder.Begin(p.Text, p.start)
	p.begun = err == nil
	return err
}

// Open begins the run if it is new, and opens it. It writes the configuration if the folder has
// another number of generations.
func (p *Prepared) Open() (*train.Run, error) {
	if err := p.Begin(); err != nil {
		return nil, err
	}
	r, err := train.Open(p.Options)
	if err != nil {
		return nil, err
	}
	if err := p.keep(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// keep writes the configuration of the run, whose stages are locked, if the folder has another.
func (p *Prepared) keep() error {
	folder := p.Options.Folder
	if old, err := Thaw(folder); err != nil || old.Config == p.frozen.Config {
		return err
	}
	return folder.Freeze(p.Text)
}

// choose decides what a new run will be.
func (q Request) choose(folder rundir.Folder) (f Frozen, err error) {
	f = Frozen{Program: version.String(), Name: folder.Base()}
	if f.Config, err = Load(q.preset(), q.Settings...); err != nil {
		return f, err
	}
	text, err := presetText(q.preset())
	if err != nil {
		return f, err
	}
	f.comments = without(commentsOf(text), q.Settings)
	game, err := games.ByName(f.Config.Game)
	if err == nil && f.Config.MCTS.Tactics.Tables && !game.Tables {
		err = fmt.Errorf("mcts.tactics.tables: there are no tables of endings for %s", game.Name)
	}
	if err != nil {
		return f, NameError{err}
	}
	if !givesOpenings(text, q.Settings) {
		gate := &f.Config.Gate
		match := arena.Options{Game: game.Game.Game, Games: max(gate.Games, gate.Ladder), Seed: f.Config.Seed}
		if gate.OpeningPlies, _, err = arena.Plies(context.Background(), match); err != nil {
			return f, err
		}
	}
	if q.Start == nil {
		return f, nil
	}
	f.Start = q.Start.Hash()
	return f, q.adopt(&f.Config, game)
}

// givesOpenings reports whether the text of a preset or a setting says how long the openings of the
// gate are. If not, a new run has openings that are long enough.
func givesOpenings(text []byte, settings []string) bool {
	if isFrozen(text) || slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "gate.opening_plies=") }) {
		return true
	}
	body, _ := parse(text) // it has been decoded before
	_, found, _ := find(body, "gate", "opening_plies")
	return found == 2
}

// adopt gives a configuration the network of the model that the run begins with.
func (q Request) adopt(c *Config, game games.Entry) error {
	if q.Start.Game != c.Game {
		return fmt.Errorf("--from %s plays %s, and preset %s is for %s: name a preset for %s", q.From, q.Start.Game, q.preset(), c.Game, q.Start.Game)
	}
	if err := q.Start.Check(game.Spec); err != nil {
		return fmt.Errorf("--from %s: %w", q.From, err)
	}
	for _, s := range q.Settings {
		if strings.HasPrefix(s, "network.") {
			return fmt.Errorf("--set %s changes the network, and --from %s brings its own", s, q.From)
		}
	}
	c.Network = NetworkOf(q.Start.Network)
	if c.Network.Model().For(game.Spec) != q.Start.Network {
		return fmt.Errorf("--from %s: its network has parts that no configuration can name", q.From)
	}
	return nil
}

// agree reports what of the request differs from a run that has begun.
func (q Request) agree(folder rundir.Folder, f Frozen) error {
	c := f.Config.Complete()
	if q.Preset != "" {
		preset, err := Load(q.Preset)
		if err != nil {
			return err
		}
		if preset.Game != c.Game {
			return fmt.Errorf("%s is a run of %s, not of %s; choose another folder with --run", folder, c.Game, preset.Game)
		}
		text, err := presetText(q.Preset)
		if err != nil {
			return err
		}
		if !givesOpenings(text, nil) {
			preset.Gate.OpeningPlies = c.Gate.OpeningPlies
		}
		preset.Train.Generations = c.Train.Generations
		if len(q.Settings) == 0 && preset != c {
			return DifferentError{fmt.Errorf("%s was begun with other settings than preset %s", folder, q.Preset), folder}
		}
	}
	want := c
	for _, s := range q.Settings {
		if err := want.Set(s); err != nil {
			return err
		}
		if want != c {
			return fmt.Errorf("%s was begun without --set %s, and a run keeps its settings; choose another folder with --run", folder, s)
		}
	}
	if q.Start != nil && q.Start.Hash() != f.Start {
		return fmt.Errorf("%s was not begun with the weights of %s; --from is for a new run: choose another folder with --run", folder, q.From)
	}
	if q.Generations == 0 {
		return nil
	}
	records, err := folder.Records()
	if err == nil && len(records) > q.Generations {
		err = fmt.Errorf("%s has %d generations already, and --generations %d would be fewer", folder, len(records), q.Generations)
	}
	return err
}

// Options is the configuration of the run in a folder as package train takes it.
func (f Frozen) Options(folder rundir.Folder) (train.Options, error) {
	c := f.Config
	game, err := games.ByName(c.Game)
	if err != nil {
		return train.Options{}, err
	}
	return train.Options{
		Game:           game.Game,
		Network:        c.Network.Model().For(game.Spec),
		Search:         c.MCTS,
		Players:        c.Players,
		Selfplay:       c.Selfplay,
		Train:          c.Train,
		Gate:           c.Gate,
		Data:           c.Data,
		Seed:           c.Seed,
		Start:          f.Start,
		Folder:         folder,
		Name:           f.Name,
		ProgramVersion: version.String(),
	}, nil
}
