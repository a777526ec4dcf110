package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/internal/regular"
	"dojo.example/search/mcts"
)

// File is the content of a sweep's YAML file:
//
//	preset: onitama-quick        # the preset that the arms change
//	budget: 4m                   # CPU time of each run, all cores together
//	seeds: 6                     # each arm is trained with the seeds 1 to 6
//	arms:
//	  - name: residual
//	  - name: sparse
//	    set: [network.kind=sparse, train.optimiser.batch=1024]
//
// In matches, the models of all arms search with the same constants, which the preset sets under
// the key players. So an arm with other mcts.* settings shows only how these settings affect
// training. A setting such as players.cpuct=1 changes a constant of the matches for one arm.
type File struct {
	Preset string        `yaml:"preset"`
	Budget time.Duration `yaml:"budget"`
	Seeds  int           `yaml:"seeds"`
	Arms   []Arm         `yaml:"arms"`

	// Each final model plays 2·Games games (rounded up) against the models of each other arm
	// (configuration), with an equal number of games against each of these models. In these games,
	// both sides search Simulations per move. In addition, each final model plays 2·TimedGames
	// games in which each side searches as many simulations per move as it can compute in MoveTime
	// on one core.
	Simulations int           `yaml:"simulations"`
	Games       int           `yaml:"games"`
	MoveTime    time.Duration `yaml:"move_time"`
	TimedGames  int           `yaml:"timed_games"`

	// Points is the number of points on each learning curve. They divide the budget of a run into
	// equal parts. After each part, the best model so far plays Games games against Reference, the
	// name of a player (see package arena). If Reference is empty, the opponent is the final model
	// of the first arm's run with the first seed.
	Points    int    `yaml:"points"`
	Reference string `yaml:"reference"`

	// Pilot is the number of generations that a pilot run measures. A pilot run has one generation
	// more: the first one is not measured, because it plays without a model.
	Pilot int `yaml:"pilot"`
}

// Arm is one of the configurations that a sweep compares.
type Arm struct {
	Name   string   `yaml:"name"`
	Preset string   `yaml:"preset"` // if empty, the preset of the sweep's file
	Set    []string `yaml:"set"`    // changed settings, such as mcts.simulations=64
}

// defaultFile returns a File with the defaults of all keys.
func defaultFile() File {
	return File{Seeds: 6, Simulations: 64, Games: 200, MoveTime: 5 * time.Millisecond, TimedGames: 100, Points: 4, Pilot: 4}
}

// Read reads the file of a sweep. For an unknown key, a wrong type or an impossible value, it
// returns an error that names the key.
func Read(path string) (File, error) {
	text, err := regular.ReadText(path, rundir.MaxConfig)
	if err != nil {
		return File{}, fmt.Errorf("sweep: %w", err)
	}
	f := defaultFile()
	if err := configs.Decode(path, text, &f); err != nil {
		return File{}, err
	}
	if err := f.validate(); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// mostGames is the largest allowed value of the keys games and timed_games.
const mostGames = 1_000_000

// armName matches the allowed names of arms (the compared configurations), which are also names of
// folders.
var armName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.=-]{0,39}$`)

// perMeeting returns the number of games between two runs, always an even number. The number is
// such that a run plays at least 2·games games in total against the runs of each other arm
// (configuration).
func (f File) perMeeting(games int) int { return 2 * ((games + f.Seeds - 1) / f.Seeds) }

func (f File) validate() error {
	switch {
	case f.Budget <= 0:
		return errors.New("budget: set the CPU time of a run, e.g. 4m")
	case f.Seeds < 2 || f.Seeds > 100:
		return fmt.Errorf("seeds: %d is not between 2 and 100; intervals need at least two seeds", f.Seeds)
	case f.Simulations < 1 || f.Simulations > arena.MostSimulations:
		return fmt.Errorf("simulations: %d is not between 1 and %d", f.Simulations, arena.MostSimulations)
	case f.Games < 2 || f.Games > mostGames || f.Games%2 != 0:
		return fmt.Errorf("games: %d is not an even number from 2 to %d", f.Games, mostGames)
	case f.TimedGames < 2 || f.TimedGames > mostGames || f.TimedGames%2 != 0:
		return fmt.Errorf("timed_games: %d is not an even number from 2 to %d", f.TimedGames, mostGames)
	case f.MoveTime <= 0 || f.MoveTime > time.Hour:
		return fmt.Errorf("move_time: %v is not above 0 and at most an hour", f.MoveTime)
	case f.Points < 1 || f.Points > 100:
		return fmt.Errorf("points: %d is not between 1 and 100", f.Points)
	case f.Pilot < 1 || f.Pilot > 1000:
		return fmt.Errorf("pilot: %d is not between 1 and 1000", f.Pilot)
	case len(f.Arms) == 0:
		return errors.New("arms: name at least one arm")
	}
	names := map[string]bool{}
	for _, a := range f.Arms {
		switch {
		case !armName.MatchString(a.Name):
			return fmt.Errorf("arms: the name %q is not allowed: a name has up to 40 letters, digits and any of _.=-, and begins with a letter or digit", a.Name)
		case names[a.Name]:
			return fmt.Errorf("arms: two arms are called %s", a.Name)
		case a.Preset == "" && f.Preset == "":
			return fmt.Errorf("arms: %s has no preset; set one for the arm or for the whole file", a.Name)
		}
		names[a.Name] = true
	}
	return nil
}

// config returns the configuration of the runs of an arm. The seed and the number of generations
// are not set.
func (f File) config(a Arm) (configs.Config, error) {
	c, err := configs.Load(cmp.Or(a.Preset, f.Preset), append([]string{"gate.ladder=0"}, a.Set...)...)
	if err == nil {
		c.Players, err = f.players(a)
	}
	if err != nil {
		return c, fmt.Errorf("arm %s: %w", a.Name, err)
	}
	return c, nil
}

// players returns the search constants with which the models of an arm (a configuration) play
// matches. They come from the file's preset or, without one, from the first arm's preset, so they
// are the same for all arms. An arm can change them only with settings whose keys begin with
// "players.".
func (f File) players(a Arm) (mcts.Constants, error) {
	c, err := configs.Load(cmp.Or(f.Preset, f.Arms[0].Preset))
	for _, s := range a.Set {
		if key, _, _ := strings.Cut(s, "="); err == nil && strings.HasPrefix(key+".", "players.") {
			err = c.Set(s)
		}
	}
	return c.Players, err
}

// Config returns the configuration of the first arm.
func (f File) Config() (configs.Config, error) { return f.config(f.Arms[0]) }
