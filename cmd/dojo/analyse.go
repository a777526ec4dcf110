package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"dojo/analysis"
	"dojo/arena"
	"dojo/engine"
	"dojo/games"
	"dojo/internal/bounded"
	"dojo/internal/console"
	"dojo/model"
	"dojo/models"
	"dojo/think"

	"github.com/spf13/cobra"
)

// analyseOptions is what the command line tells analyse and review.
type analyseOptions struct {
	game        string
	simulations int
	moveTime    time.Duration // 0: simulations alone
	workers     int
	seed        uint64
	top         int
	json        bool
}

// flags adds those that analyse and review have in common.
func (o *analyseOptions) flags(cmd *cobra.Command) {
	gameFlag(cmd, &o.game)
	cmd.Flags().IntVar(&o.simulations, "simulations", 800, "root visits of a search")
	timeFlag(cmd.Flags(), &o.moveTime, "movetime", 0, "time for a position instead, such as 2s")
	cmd.Flags().IntVar(&o.workers, "workers", 0, "cores to use (default: all); changes no result of --simulations")
	cmd.MarkFlagsMutuallyExclusive("simulations", "movetime")
	jsonFlag(cmd, &o.json)
}

// gameFlag adds --game to a verb that takes a MODEL.
func gameFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "game", "", "the game, whose bot in the box is used where no MODEL is named")
}

// budget checks the flags, and is what they allow a search.
func (o *analyseOptions) budget() (b think.Budget, err error) {
	if o.workers, err = checkWorkers(o.workers); err != nil {
		return b, err
	}
	if o.moveTime > analysis.MostTime {
		return b, usagef("--movetime %v is more than %v", o.moveTime, analysis.MostTime)
	}
	if o.moveTime > 0 {
		return think.Budget{Time: o.moveTime}, nil
	}
	return think.Budget{Visits: o.simulations}, inRange("--simulations", o.simulations, 1, mostSimulations)
}

func (a *app) analyseCommand() *cobra.Command {
	var opt analyseOptions
	cmd := &cobra.Command{
		Use:   "analyse [MODEL] [POSITION [ACTION…]]",
		Short: "What a search finds of a position; an engine for programs",
		Long: `Searches a position and prints what was found: its value, the best actions with
their visits and the best play after each. POSITION is a line in the game's
notation; "start", what self-play deals from --seed; or "usual", from where
people begin, as without a POSITION. ACTIONs are played first.
All values are those of the first player, from -1 to 1; an exclamation mark
says that a value is proven.

With --json and no POSITION it is an engine for programs: it reads queries from
stdin, a line of JSON each, searches many at a time, and answers by id as they
are done. docs/ANALYSIS.md describes the lines and has clients.`,
		Example: `  dojo analyse runs/onitama-quick
  dojo analyse runs/tictactoe "x...o...." b3 --movetime 2s
  dojo analyse runs/onitama-quick --json <queries.jsonl >answers.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := opt.budget()
			if err != nil {
				return err
			}
			if err := inRange("--top", opt.top, 0, 1<<16); err != nil {
				return err
			}
			if opt.json && !cmd.Flags().Changed("top") {
				opt.top = 0
			}
			named, position := a.splitModel(args, opt.game)
			if len(position) == 0 && opt.json {
				return a.answerQueries(cmd.Context(), named, b, opt)
			}
			if len(position) == 0 {
				position = []string{defaultPosition(cmd)}
			}
			if err := seedDeals(cmd, position[0]); err != nil {
				return err
			}
			return a.analyse(cmd.Context(), named, position, b, opt)
		},
	}
	opt.flags(cmd)
	cmd.Flags().Uint64Var(&opt.seed, "seed", 1, "seed of the deal")
	cmd.Flags().IntVar(&opt.top, "top", 10, "how many actions to show; 0 for all, as with --json")
	return cmd
}

// splitModel divides arguments into a MODEL, if there is one, and what follows it. Where
// another model is known, that of the game or the carried one, the first argument is a
// MODEL only if there is something at that path.
func (a *app) splitModel(args []string, game string) (named, rest []string) {
	if len(args) == 0 {
		return nil, nil
	}
	if _, box := models.Boxed(args[0]); !box && (game != "" || a.carried != nil) {
		if _, err := os.Stat(strings.TrimSuffix(args[0], arena.InFloats)); err != nil {
			return nil, args
		}
	}
	return args[:1], args[1:]
}

// modelFor opens the model that is named, else the carried one, else the one in the box
// of the game. If a game is given the model must play it.
func (a *app) modelFor(named []string, name string) (*model.Checkpoint, games.Entry, error) {
	if len(named) > 0 || a.carried != nil {
		c, game, err := a.openModel(named)
		if err == nil && name != "" && name != game.Name {
			err = fmt.Errorf("model %s plays %s, not %s", c.Name, game.Name, name)
		}
		return c, game, err
	}
	if name == "" {
		return nil, games.Entry{}, usagef("a MODEL is missing, or --game")
	}
	game, err := gameNamed(name)
	if err != nil {
		return nil, game, err
	}
	c, err := models.Load(name)
	return c, game, err
}

// newAnalyser returns an analyser that plays with a model, in 8 bits if it can.
func newAnalyser(c *model.Checkpoint, game games.Entry, opt analysis.Options) (*analysis.Analyser, error) {
	s, err := think.Model(c, model.Best)
	if err != nil {
		return nil, err
	}
	return analysis.New(game.Game, s, opt), nil
}

// while calls f while an analyser runs.
func while(ctx context.Context, a *analysis.Analyser, f func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = a.Run(ctx) }) // its searches have the error
	defer running.Wait()
	defer cancel()
	return f()
}

// answerQueries is the engine for programs.
func (a *app) answerQueries(ctx context.Context, named []string, b think.Budget, opt analyseOptions) error {
	s := analysis.Service{Usual: b}
	load := a.modelFor
	if len(named) > 0 || a.carried != nil { // one model, which is read before any query
		c, game, err := a.modelFor(named, opt.game)
		if err != nil {
			return err
		}
		s.Game = game.Name
		load = func(_ []string, name string) (*model.Checkpoint, games.Entry, error) {
			if name != game.Name {
				return nil, game, fmt.Errorf("game: model %s plays %s, not %s", c.Name, game.Name, name)
			}
			return c, game, nil
		}
	}
	s.Open = func(name string) (engine.Game, *analysis.Analyser, error) {
		c, game, err := load(nil, name)
		if err != nil {
			return engine.Game{}, nil, err
		}
		x, err := newAnalyser(c, game, analysis.Options{Workers: opt.workers})
		return game.Game.Game, x, err
	}
	out := console.NewInterruptibleWriter(ctx, a.stdout)
	if err := s.Run(ctx, console.Interruptible(ctx, a.stdin), out); err != nil {
		return err
	}
	return out.Close()
}

// analyse searches one position.
func (a *app) analyse(ctx context.Context, named, position []string, b think.Budget, opt analyseOptions) error {
	c, game, err := a.modelFor(named, opt.game)
	if err != nil {
		return err
	}
	p, err := readPosition(game, position[0], opt.seed)
	if err != nil {
		return err
	}
	for i, text := range position[1:] {
		if p, err = playAction(p, text); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	x, err := newAnalyser(c, game, analysis.Options{Workers: 1, Lanes: 1})
	if err != nil {
		return err
	}
	return while(ctx, x, func() error {
		r := x.Begin(p, b, 0)
		a.watch(r, b)
		if err := r.Err(); err != nil {
			return err
		}
		t := r.Thought()
		if opt.json {
			return a.printJSON(analysis.Query{Top: opt.top}.Answer(game.Name, p, t, r.Stop()))
		}
		if opt.top > 0 && len(t.Moves) > opt.top {
			t.Moves = t.Moves[:opt.top]
		}
		_, err := fmt.Fprint(a.stdout, analysisTable(p, t, c, r.Stop()))
		return err
	})
}

// watch waits for a search and shows on a terminal how far it has come.
func (a *app) watch(r *analysis.Running, b think.Budget) {
	total, began := b.Visits, time.Now()
	if b.Time > 0 {
		total = int(b.Time.Milliseconds())
	}
	progress := console.NewBar(a.stderr, total, "searching")
	defer progress.Clear()
	for {
		select {
		case <-r.Done():
			return
		case <-time.After(100 * time.Millisecond):
			t := r.Thought()
			done := t.Visits
			if b.Time > 0 {
				done = int(time.Since(began).Milliseconds())
			}
			progress.Set(min(done, total), fmt.Sprintf("%d simulations, value %+.2f", t.Visits, t.Value))
		}
	}
}

// analysisTable is what was found of a position, for people. Its moves are those of t.
func analysisTable(p engine.Position, t analysis.Thought, c *model.Checkpoint, why think.Stop) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", analysis.Drawing(p), p)
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintf(&b, "over: %s\n", analysis.Outcome(p.Outcome()))
		return b.String()
	}
	fmt.Fprintf(&b, "%s to move, value %s for first\n", p.ToMove(), value(t.Value, t.Proven))
	fmt.Fprintf(&b, "after %s simulations by model %s: %s\n\n", grouped(float64(t.Visits)), console.Ending(c.Name, nameWidth), why)
	width := len("move")
	for _, m := range t.Moves {
		width = max(width, len(m.Move))
	}
	line := func(move, visits, prior, value, then string) {
		fmt.Fprintln(&b, bounded.Fit(fmt.Sprintf("%-*s %9s %7s %7s  ", width, move, visits, prior, value), then))
	}
	line("move", "visits", "prior", "value", "then")
	for _, m := range t.Moves {
		v := ""
		if m.Visits > 0 || m.Proven != engine.Ongoing {
			v = value(m.Value, m.Proven)
		}
		line(m.Move, grouped(float64(m.Visits)), console.Percent(m.Prior), v, strings.Join(m.Line[1:], ", "))
	}
	return b.String()
}

// value writes a value of First's, with a mark behind it if it is proven.
func value(v float32, proven engine.Outcome) string {
	if proven != engine.Ongoing {
		return fmt.Sprintf("%+.2f!", v)
	}
	return fmt.Sprintf("%+.2f", v)
}
