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

// File is the YAML file of a sweep:
//
//	preset: onitama-quick        # what the arms start from
//	budget: 4m                   # CPU time of a run, all cores together
//	seeds: 6                     # each arm is run with seeds 1 to 6
//	arms:
//	  - name: residual
//	  - name: sparse
//	    set: [network.kind=sparse, train.optimiser.batch=1024]
//
// The models of all arms play with the same constants of the search, the preset's players, so that
// an arm with other mcts.* shows what these teach. A setting such as players.cpuct=1 changes an arm's.
type File struct {
	Preset string        `yaml:"preset"`
	Budget time.Duration `yaml:"budget"`
	Seeds  int           `yaml:"seeds"`
	Arms   []Arm         `yaml:"arms"`

	// Each final model plays 2·Games games, or a few more, against those of each other arm,
	// the same number against each. Both sides search Simulations per move; and in as many times
	// TimedGames games as many as they can in MoveTime on one core.
	Simulations int           `yaml:"simulations"`
	Games       int           `yaml:"games"`
	MoveTime    time.Duration `yaml:"move_time"`
	TimedGames  int           `yaml:"timed_games"`

	// Points is the number of points of a learning curve: models after equal parts of the
	// budget, each of which plays Games games against Reference. Reference is a player of
	// package arena; if empty, it is the final model of the first arm's first seed.
	Points    int    `yaml:"points"`
	Reference string `yaml:"reference"`

	// Pilot is the number of generations that are measured for unit costs. A first
	// generation, which no model plays, is not counted.
	Pilot int `yaml:"pilot"`
}

// Arm is one of the configurations that are compared.
type Arm struct {
	Name   string   `yaml:"name"`
	Preset string   `yaml:"preset"` // empty: the file's
	Set    []string `yaml:"set"`    // changed settings, such as mcts.simulations=64
}

// defaultFile has the values of the keys that a file does not have.
func defaultFile() File {
	return File{Seeds: 6, Simulations: 64, Games: 200, MoveTime: 5 * time.Millisecond, TimedGames: 100, Points: 4, Pilot: 4}
}

// Read reads the file of a sweep. Unknown keys, wrong types and impossible values are
// errors that name the key.
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

// mostGames is the largest number of games of a meeting, as of "dojo match".
const mostGames = 1_000_000

// armName matches names of arms, which are also names of folders.
var armName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.=-]{0,39}$`)

// perMeeting returns the number of games of two runs, which is even: each run plays 2·games
// against an arm.
func (f File) perMeeting(games int) int { return 2 * ((games + f.Seeds - 1) / f.Seeds) }

func (f File) validate() error {
	switch {
	case f.Budget <= 0:
		return errors.New("budget: a time such as 4m is wanted: the CPU time of a run")
	case f.Seeds < 2 || f.Seeds > 100:
		return fmt.Errorf("seeds: %d is not between 2 and 100; the seed is the unit of all intervals", f.Seeds)
	case f.Simulations < 1 || f.Simulations > arena.MostSimulations:
		return fmt.Errorf("simulations: %d is not between 1 and %d", f.Simulations, arena.MostSimulations)
	case f.Games < 2 || f.Games > mostGames || f.Games%2 != 0:
		return fmt.Errorf("games: %d is not an even number from 2 to %d", f.Games, mostGames)
	case f.TimedGames < 2 || f.TimedGames > mostGames || f.TimedGames%2 != 0:
		return fmt.Errorf("timed_games: %d is not an even number from 2 to %d", f.TimedGames, mostGames)
	case f.MoveTime <= 0 || f.MoveTime > time.Hour:
		return fmt.Errorf("move_time: %v is not between 0 and an hour", f.MoveTime)
	case f.Points < 1 || f.Points > 100:
		return fmt.Errorf("points: %d is not between 1 and 100", f.Points)
	case f.Pilot < 1 || f.Pilot > 1000:
		return fmt.Errorf("pilot: %d is not between 1 and 1000", f.Pilot)
	case len(f.Arms) == 0:
		return errors.New("arms: there is none")
	}
	names := map[string]bool{}
	for _, a := range f.Arms {
		switch {
		case !armName.MatchString(a.Name):
			return fmt.Errorf("arms: name: %q is not up to 40 letters, digits and any of _.=-", a.Name)
		case names[a.Name]:
			return fmt.Errorf("arms: two are called %s", a.Name)
		case a.Preset == "" && f.Preset == "":
			return fmt.Errorf("arms: %s has no preset", a.Name)
		}
		names[a.Name] = true
	}
	return nil
}

// config returns the configuration of an arm's runs, without seed and generations.
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

// players returns the constants with which the models of an arm play: the same for all arms, from
// the file's preset or else the first arm's, except for settings of the arm that name them.
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
