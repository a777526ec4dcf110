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

// DefaultPreset is the preset of a new run if the user names none.
const DefaultPreset = "onitama-quick"

// A Request says which run, new or existing, the user wants, and with what configuration.
type Request struct {
	Folder rundir.Folder // folder of the run; "" means runs/PRESET
	// "" means DefaultPreset for a new run, and the run's own configuration for an existing one
	Preset      string
	Settings    []string          // changes to the preset; see [Load]
	Start       *model.Checkpoint // model whose weights a new run begins with; nil for random weights
	From        string            // name of Start in error messages
	Generations int               // number of generations; 0 means the configured number
	Workers     int               // number of goroutines that the run uses
}

// A Prepared is a run, new or existing, that is ready to start. Begin and Open start it.
type Prepared struct {
	Options train.Options
	Text    []byte // content of the run.yaml
	frozen  Frozen
	start   *model.Checkpoint
	begun   bool // whether the folder already holds the run
}

// In returns the folder of the run.
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

// A DifferentError reports that the settings of an existing run differ from the requested preset.
type DifferentError struct {
	error
	Folder rundir.Folder
}

// Prepare reads the configuration of the requested run if the run exists, or else chooses the
// configuration of a new run. It writes nothing. An existing run keeps its configuration except the
// number of generations.
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

// complete sets the fields of p that follow from the configuration. It returns an error if a new
// run has an impossible configuration.
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

// Prepare prepares a run with exactly this configuration. It returns a DifferentError if the folder
// holds a run with a different configuration. A new run begins with the weights of start, or with
// random weights if start is nil.
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

// Begun reports whether the run's folder already holds the run.
func (p *Prepared) Begun() bool { return p.begun }

// Begin creates the run's folder unless the run exists.
func (p *Prepared) Begin() error {
	if p.begun {
		return nil
	}
	err := p.Options.Folder.Begin(p.Text, p.start)
	p.begun = err == nil
	return err
}

// Open creates the run's folder if the run is new, and opens the run. If only the number of
// generations has changed, Open writes the new configuration to the folder.
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

// keep writes the configuration to the run's folder if it differs from the stored one. The caller
// has locked the stages of the run (see rundir.Folder.LockStages).
func (p *Prepared) keep() error {
	folder := p.Options.Folder
	if old, err := Thaw(folder); err != nil || old.Config == p.frozen.Config {
		return err
	}
	return folder.Freeze(p.Text)
}

// choose determines the configuration of a new run.
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

// givesOpenings reports whether the preset's text or a setting determines how long the openings of
// gate matches are. If neither does, a new run gets openings that are only as long as the matches
// need.
func givesOpenings(text []byte, settings []string) bool {
	if isFrozen(text) || slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "gate.opening_plies=") }) {
		return true
	}
	body, _ := parse(text) // cannot fail: the text has been decoded before
	_, found, _ := find(body, "gate", "opening_plies")
	return found == 2
}

// adopt copies the network sizes of the model that the run begins with into the configuration.
func (q Request) adopt(c *Config, game games.Entry) error {
	if q.Start.Game != c.Game {
		return fmt.Errorf("--from %s plays %s, but preset %s is for %s; name a preset for %s", q.From, q.Start.Game, q.preset(), c.Game, q.Start.Game)
	}
	if err := q.Start.Check(game.Spec); err != nil {
		return fmt.Errorf("--from %s: %w", q.From, err)
	}
	for _, s := range q.Settings {
		if strings.HasPrefix(s, "network.") {
			return fmt.Errorf("--set %s changes the network, but the network is that of --from %s; leave out --set network", s, q.From)
		}
	}
	c.Network = NetworkOf(q.Start.Network)
	if c.Network.Model().For(game.Spec) != q.Start.Network {
		return fmt.Errorf("--from %s: a configuration cannot describe its network, so no run can begin with it", q.From)
	}
	return nil
}

// agree returns an error if the request contradicts the existing run.
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
		err = fmt.Errorf("%s has %d generations already, more than --generations %d", folder, len(records), q.Generations)
	}
	return err
}

// Options returns the options for package train to run this configuration in folder.
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
