package propose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"dojo.example/configs"
	"dojo.example/engine"
	"dojo.example/internal/scratch"
	"dojo.example/run"
	"dojo.example/train"
)

// Options say for what a preset is.
type Options struct {
	Game    engine.Game
	For     time.Duration // how long a run may take on this machine
	Workers int           // goroutines of the run; 0: one per core

	// Progress is called after each generation of the pilot; it may be nil.
	Progress func(generations int)
}

// settings are what the template writes.
type settings struct {
	Game                      string
	For                       string
	Cores                     int
	Facts                     Facts
	Features                  int
	Simulations, Games, Shard int
	TemperaturePlies          int
	Generations, Lag          int
	GateGames, OpeningPlies   int
	Pilot                     int     // generations of the pilot run
	Seconds                   float64 // of a generation
	Length                    float64 // plies of the last games
}

// Preset measures random games and a pilot run of a tenth of the time, at most a minute and at
// least three generations, and returns the text of a preset with comments that say why. The
// texts of two calls differ by as much as the speed of the machine does.
func Preset(ctx context.Context, opt Options) ([]byte, error) {
	f, err := Measure(opt.Game, 1)
	if err != nil {
		return nil, err
	}
	s := settings{
		Game: opt.Game.Name, For: brief(opt.For), Cores: max(opt.Workers, 1), Facts: f, Features: opt.Game.Features,
		Simulations: 96, Lag: 1, GateGames: 80, OpeningPlies: 2,
	}
	switch {
	case opt.For > 20*time.Minute:
		s.Simulations = 200
	case f.Legal < 10:
		s.Simulations = 64
	}
	for n := float64(f.Openings); n < float64(s.GateGames)/2 && s.OpeningPlies < 6; n *= max(2, f.Legal) {
		s.OpeningPlies++
	}
	if opt.Workers == 1 {
		s.Lag = 0
	}
	s.sized(power(positions/f.Plies, 32, 4096), f.Plies)
	if err := s.pilot(ctx, opt); err != nil {
		return nil, fmt.Errorf("pilot run: %w", err)
	}

	// Some hundred and fifty generations are about right: many more are better spent on more games
	// each, which cost less for each position.
	perGame := s.Seconds / float64(s.Games)
	s.sized(power(opt.For.Seconds()/150/perGame, 32, power(maxPositions/f.Plies, 32, 8192)), s.Length)
	s.Seconds = perGame * float64(s.Games)
	s.Generations = max(5, int(math.Round(opt.For.Seconds()*0.95/s.Seconds)))
	return s.text()
}

const (
	positions    = 14_000 // of a generation, if nothing else decides
	maxPositions = 80_000
)

// sized sets what follows from the number of games and their length.
func (s *settings) sized(games int, plies float64) {
	s.Games, s.Shard = games, max(8, min(32, games/16))
	s.TemperaturePlies = max(2, min(30, int(math.Round(plies*0.35))))
}

var presetText = template.Must(template.New("").Parse(`# {{.Game}} for {{.For}} on {{.Cores}} cores of the machine where this was measured.
# Random games have {{printf "%.0f" .Facts.Plies}} plies and {{printf "%.0f" .Facts.Legal}} legal actions a position, at most {{.Facts.Most}}; {{printf "%.0f" .DrawPercent}} % are draws.
game: {{.Game}}
network:
  kind: sparse # {{.Features}} features, of which {{printf "%.0f" .Facts.Active}} are active on average
{{- if .Facts.Margin}}
  margin: {{printf "%.0f" .Facts.Margin}} # points; nine of ten random games end closer{{end}}
mcts:
  simulations: {{.Simulations}}
selfplay:
  games: {{.Games}} # {{printf "%.0f" .Positions}} positions a generation with games as long as in the pilot run
  shard_games: {{.Shard}}
  temperature_plies: {{.TemperaturePlies}} # a third of a game of the pilot run
train:
  generations: {{.Generations}} # of {{printf "%.1f" .Seconds}} s each, by a pilot run of {{.Pilot}}; games that grow longer take longer
{{- if .Lag}}
  lag: 1 # two cores play and train at the same time{{end}}
  passes: 8
  optimiser:
    batch: 1024
gate:
  games: {{.GateGames}}
  simulations: 32
  opening_plies: {{.OpeningPlies}}{{if lt .Facts.Openings 40}} # two lead to {{.Facts.Openings}} positions only{{end}}
`))

func (s settings) DrawPercent() float64 { return 100 * s.Facts.Draws }

func (s settings) Positions() float64 { return s.Length * float64(s.Games) }

func (s settings) text() ([]byte, error) {
	var b strings.Builder
	err := presetText.Execute(&b, s)
	return []byte(b.String()), err
}

// reporter notes when generations end; see train.Reporter.
type reporter struct {
	progress func(int)
	ends     []time.Time
	last     train.Metrics
}

func (r *reporter) Stage(int, string, int) func(int, string) { return func(int, string) {} }

func (r *reporter) Generation(m train.Metrics) {
	r.ends, r.last = append(r.ends, time.Now()), m
	if r.progress != nil {
		r.progress(len(r.ends))
	}
}

// pilot trains in a folder of its own, which it removes, and notes what it has measured. The first
// generation does not count, because no model plays it.
func (s *settings) pilot(ctx context.Context, opt Options) (err error) {
	dir, remove, err := scratch.Folder("pilot")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	s.Generations = 10_000 // so that the learning rate stays high
	text, err := s.text()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "preset.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	prepared, err := configs.Prepare(configs.Request{Preset: path, Folder: run.Folder(filepath.Join(dir, "run")), Workers: opt.Workers})
	if err != nil {
		return err
	}
	r := &reporter{progress: opt.Progress}
	prepared.Options.Report = r
	t, err := prepared.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	end := time.Now().Add(min(time.Minute, opt.For/10))
	for len(r.ends) < 3 || time.Now().Before(end) && len(r.ends) < s.Generations {
		if err := t.Generation(ctx); err != nil {
			return err
		}
	}
	s.Pilot = len(r.ends)
	s.Seconds, s.Length = r.ends[s.Pilot-1].Sub(r.ends[0]).Seconds()/float64(s.Pilot-1), r.last.GameLength
	return nil
}

// brief is d without minutes and seconds that are 0.
func brief(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
