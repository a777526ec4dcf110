package propose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"text/template"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/engine"
	"dojo.example/internal/cputime"
	"dojo.example/model"
	"dojo.example/train"
)

// Options describes the game, the time and the machine for which a preset is written.
type Options struct {
	Game    engine.Game
	For     time.Duration // how long a run may take on this machine
	Workers int           // number of goroutines of the run; 0 means one per core

	// Clock returns the processor time that this process has used. Nil means cputime.Process. The
	// measurements use no other clock.
	Clock func() time.Duration

	// Variants holds the same game with other lists of features. Preset tries them, together with
	// other sizes of the network, and writes a preset for the best one. If there are none, it tries
	// nothing.
	Variants []engine.Game

	// Compare plays a match of the given number of games. It returns the share of the points that
	// player a scored, and the lower bound of its 95 % interval. The models of a and b may read
	// different variants of the game. Compare is not called if there are no variants.
	Compare func(ctx context.Context, a, b Player, games int) (score, low float64, err error)

	// Progress is called after each generation of the pilot runs and of the runs that try variants.
	// It gets the number of generations so far. trying describes what the run tries; it is "" in a
	// pilot run. Progress may be nil.
	Progress func(generations int, trying string)

	// Warn is called if the time is too short for the smallest allowed preset. It may be nil.
	Warn func(error)
}

// settings holds a configuration and the measurements on which it is based. The template of a
// preset writes both.
type settings struct {
	configs.Config
	For      string
	Cores    int
	Facts    Facts
	Features int
	Pilot    int      // number of generations in all pilot runs
	Seconds  float64  // expected duration of a generation in seconds
	Length   float64  // mean number of plies per game in the latest measurement
	Warning  string   // why a run with the preset cannot finish in time; "" if it can
	Untried  bool     // whether the time is too short to try other features
	Tried    []string // what was tried, with the results
	Share    float64  // processor time in seconds of each run that tried features
}

// newSettings returns the settings that do not depend on measurements, for the given game.
func newSettings(game string) settings {
	s := settings{Config: configs.Default()}
	s.Game = game
	s.MCTS.Simulations, s.Train.Lag, s.Train.Passes, s.Train.Optimiser.Batch = 96, 1, 8, 1024
	s.Gate.Games, s.Gate.Simulations, s.Gate.OpeningPlies = 80, 32, 2
	return s
}

// These bounds hold for every written preset, whatever was measured. SETTINGS.md documents them.
const (
	// minPositions and maxPositions limit the number of positions per generation, if games are as
	// long as in the last pilot run.
	minPositions   = 4_000
	maxPositions   = 80_000
	minGenerations = 5
	maxGenerations = 1_000_000 // package train allows no more
)

// Preset returns the text of a preset, with comments that give the reasons for its settings. It
// plays random games and trains pilot runs to find the settings. Together they take a tenth of
// Options.For, but at most a minute, plus three seconds. Trying the variants takes up to another tenth
// of Options.For, but at most three minutes. All measurements use the processor time of this process,
// so other programs hardly affect them. Two calls return different texts if the
// processor's speed has changed in between.
func Preset(ctx context.Context, opt Options) ([]byte, error) {
	if opt.Clock == nil {
		opt.Clock = cputime.Process
	}
	if opt.Progress == nil {
		opt.Progress = func(int, string) {}
	}
	// More goroutines than cores do not make a run faster.
	cores := min(max(opt.Workers, 1), runtime.GOMAXPROCS(0))
	budget := (min(time.Minute, opt.For/10) + extra) * time.Duration(cores)
	end := opt.Clock() + budget
	f, err := Measure(ctx, opt.Game, 1, func() bool { return opt.Clock() > end-budget*9/10 })
	if err != nil {
		return nil, err
	}
	s := newSettings(opt.Game.Name)
	s.For, s.Cores, s.Facts, s.Features, s.Network.Margin = brief(opt.For), cores, f, opt.Game.Features, int(f.Margin)
	switch {
	case opt.For > 20*time.Minute:
		s.MCTS.Simulations = 200
	case f.Legal < 10:
		s.MCTS.Simulations = 64
	}
	for n := float64(f.Openings); n < float64(s.Gate.Games)/2 && s.Gate.OpeningPlies < 6; n *= max(2, f.Legal) {
		s.Gate.OpeningPlies++
	}
	if opt.Workers == 1 {
		s.Train.Lag = 0
	}
	s.sized(positions/f.Plies, f.Plies)
	p := pilot{opt: opt, full: s, end: end, budget: budget}
	units, err := p.measure(ctx)
	if err != nil {
		return nil, fmt.Errorf("pilot run: %w", err)
	}
	s.Pilot, s.Length = p.generations, p.plies
	if units, err = s.choose(ctx, opt, units); err != nil {
		return nil, err
	}
	s.fit(units, opt.For)
	if s.Warning != "" && opt.Warn != nil {
		opt.Warn(errors.New(s.Warning))
	}
	return s.text()
}

// extra is the time that the measurements may take in addition to a tenth of Options.For. Without
// extra, a short Options.For would allow only small pilot runs, and the cost of such runs is mostly
// overhead.
const extra = 3 * time.Second

const positions = 14_000 // number of positions per generation of a pilot run, if time allows that many

// sized sets the number of self-play games per generation, the number of games per shard, and
// TemperaturePlies. The parameter games is the wanted number of games, and plies is the length of a
// game. sized rounds games to the nearest power of two that gives at most maxPositions positions.
// If that power gives fewer than minPositions positions, sized instead uses the smallest number of
// games that gives enough, if possible rounded up to a multiple of 8.
func (s *settings) sized(games, plies float64) {
	high := 1
	for float64(2*high)*plies <= maxPositions {
		high *= 2
	}
	low := int(math.Ceil(minPositions / plies))
	if n := (low + 7) / 8 * 8; float64(n)*plies <= maxPositions {
		low = n // round up to a multiple of 8, so that the games can be divided into shards of 8
	}
	s.setGames(max(low, power(games, 1, high)))
	s.Selfplay.TemperaturePlies = max(2, min(30, int(math.Round(plies*0.35))))
}

// setGames sets the number of games per generation. If possible, it divides the games into at least
// 16 shards of 8 to 32 games.
func (s *settings) setGames(n int) {
	shard := n
	if n%8 == 0 {
		for shard = 8; 2*shard <= min(32, n/16) && n%(2*shard) == 0; {
			shard *= 2
		}
	}
	s.Selfplay.Games, s.Selfplay.ShardGames = n, shard
}

// work returns the work of one generation whose games have the measured length.
func (s *settings) work() cost.Work { return cost.Expected(s.Config, s.Length) }

// fit chooses the number of games per generation and the number of generations. If the bounds allow
// it, a run uses all of the time in about 150 generations. Where there is a choice, larger
// generations are better than more generations, because a position costs less in a larger
// generation.
func (s *settings) fit(units cost.Units, limit time.Duration) {
	cores := float64(s.Cores)
	const rungs = train.LadderRungs
	games := float64(train.LadderOpponents * train.DefaultGate().Ladder)
	// rung is the time in seconds for the ladder games of one model.
	rung := games * units.Game.Seconds() * train.LadderSimulations / float64(s.Gate.Simulations) / cores
	seconds := float64(limit.Seconds() * 0.95)
	one := *s
	one.Selfplay.Games, one.Gate.Games = 1, 0
	ladder := float64(rungs * rung)
	s.sized((seconds-ladder)/150/(units.Charge(one.work()).Seconds()/cores), s.Length)
	s.Seconds = units.Charge(s.work()).Seconds() / cores
	n := seconds / (s.Seconds + rung)
	if n > rungs {
		n = (seconds - ladder) / s.Seconds
	}
	s.Train.Generations = int(min(maxGenerations, max(minGenerations, math.Round(n))))
	if needed := minGenerations * (s.Seconds + rung); needed > limit.Seconds() {
		s.Warning = fmt.Sprintf("%s is too short for %s: the smallest preset, %d generations of %.0f positions, takes about %s on %d cores",
			brief(limit), s.Game, minGenerations, s.Positions(), brief(time.Duration(math.Ceil(needed/60))*time.Minute), s.Cores)
	}
}

var presetText = template.Must(template.New("").Parse(`# {{.Game}} for {{.For}} on {{.Cores}} cores of the machine on which it was measured, if nothing else runs there.
{{- if .Warning}}
# {{.Warning}}.{{end}}
# Random games have {{printf "%.0f" .Facts.Plies}} plies and {{printf "%.0f" .Facts.Legal}} legal actions per position, at most {{.Facts.Most}}; {{printf "%.0f" .DrawPercent}} % are draws.
{{- if .Untried}}
# {{.For}} is too short to try other features of the game.{{end}}
{{- if .Tried}}
# Features and sizes of the network tried in runs of {{printf "%.1f" .Share}} s of processor time each, and in matches at equal time:
{{- range .Tried}}
#   {{.}}{{end}}{{end}}
game: {{.Game}}
network:
  kind: sparse # {{.Features}} features; {{printf "%.0f" .Facts.Active}} are active on average
{{- if .Facts.Margin}}
  margin: {{printf "%.0f" .Facts.Margin}} # points; nine of ten random games end with a smaller lead{{end}}
{{- if not .Network.ActionRows}}
  action_rows: false{{end}}
{{- if .Narrow}}
  sparse:
    columns: {{.Network.Sparse.Columns}}{{end}}
mcts:
  simulations: {{.MCTS.Simulations}}
selfplay:
  games: {{.Selfplay.Games}} # {{printf "%.0f" .Positions}} positions per generation, if games are as long as in the pilot run
  shard_games: {{.Selfplay.ShardGames}}
  temperature_plies: {{.Selfplay.TemperaturePlies}} # about a third of the length of a game in the pilot run
train:
  generations: {{.Train.Generations}} # of {{printf "%.1f" .Seconds}} s each, as estimated from pilot runs of {{.Pilot}} generations; longer games take longer
{{- if .Train.Lag}}
  lag: 1 # two cores play and train at the same time{{end}}
  passes: {{.Train.Passes}}
  optimiser:
    batch: 1024
gate:
  games: {{.Gate.Games}}
  simulations: {{.Gate.Simulations}}
  opening_plies: {{.Gate.OpeningPlies}}{{if lt .Facts.Openings 40}} # two plies lead to only {{.Facts.Openings}} positions{{end}}
`))

func (s settings) DrawPercent() float64 { return 100 * s.Facts.Draws }

// Narrow reports whether the network has another width than usual.
func (s settings) Narrow() bool { return s.Network.Sparse.Columns != model.DefaultSparse().Columns }

func (s settings) Positions() float64 { return s.Length * float64(s.Selfplay.Games) }

func (s settings) text() ([]byte, error) {
	var b strings.Builder
	err := presetText.Execute(&b, s)
	return []byte(b.String()), err
}

// brief formats d, but leaves out trailing minutes and seconds that are 0.
func brief(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
