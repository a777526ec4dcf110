package selfplay

import (
	"context"
	"fmt"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// A worker plays games on one core, one game in each of its lanes.
type worker struct {
	opt    *Job
	dealer *dealer
	driver *think.Driver
	rule   mcts.RootRule
	policy []float32             // scratch memory for an improved policy
	games  map[*think.Lane]*game // the games in progress
}

// A game is one game in progress.
type game struct {
	shard  *shard
	place  int // place of the game in its shard
	number int // number of the game within its generation
	ply    int // number of actions played so far
	rows   []data.Row
}

func newWorker(d *dealer) *worker {
	opt := d.job
	return &worker{
		opt:    opt,
		dealer: d,
		driver: think.NewDriver(opt.Game, opt.Search, opt.Evaluator, opt.Lanes),
		rule:   opt.Search.SelfPlay(),
		policy: make([]float32, opt.Game.Actions),
		games:  map[*think.Lane]*game{},
	}
}

// run plays games until the dealer has no game left.
func (w *worker) run(ctx context.Context) error {
	for _, l := range w.driver.Lanes {
		if err := w.start(l); err != nil {
			return err
		}
	}
	return w.driver.Run(ctx, func(l *think.Lane, _ think.Stop) error { return w.move(l) })
}

// start begins the next game in lane l, if there is one.
func (w *worker) start(l *think.Lane) error {
	shard, place, ok := w.dealer.deal()
	if !ok {
		return nil
	}
	number := shard.number*w.opt.ShardGames + place
	rng := stream(w.opt.Seed, GameNumber(w.opt.Generation, number))
	at, err := w.opt.Game.Deal(rng)
	if err != nil {
		return err
	}
	w.games[l] = &game{shard: shard, place: place, number: number}
	l.Search.Reset(at, rng)
	return w.search(l, at)
}

// search begins a search in lane l. p is the current position of the lane's game.
func (w *worker) search(l *think.Lane, p engine.Position) error {
	g := w.games[l]
	if err := w.opt.Game.Limit(p, g.ply); err != nil {
		return fmt.Errorf("game %d, ply %d: %w", g.number, g.ply, err)
	}
	l.Begin(w.rule, think.Budget{Visits: w.opt.Search.Simulations})
	return nil
}

// move is called when the search in lane l is finished. It records the position, plays an action,
// and begins either the search of the next position or the next game.
func (w *worker) move(l *think.Lane) error {
	g, row := w.games[l], w.row(l)
	temperature := w.opt.Temperature
	if g.ply >= w.opt.TemperaturePlies {
		temperature = w.opt.FinalTemperature
	}
	a := l.Search.Root().Choose(temperature)
	row.Action = int32(a)
	g.rows = append(g.rows, row)
	l.Search.Play(a)
	g.ply++

	p := l.Search.Position()
	z := p.Outcome()
	if z == engine.Ongoing {
		return w.search(l, p)
	}
	margin := Margin(p)
	for i := range g.rows {
		g.rows[i].Outcome, g.rows[i].Margin = int32(z.Value()), margin
		g.rows[i].TurnsLeft = int32(len(g.rows) - i)
	}
	if err := w.dealer.finish(g.shard, g.place, g.rows); err != nil {
		return err
	}
	return w.start(l)
}

// row returns the row for the position whose search is finished. It does not set Action, nor
// Outcome, Margin and TurnsLeft, which are known only when the game is over.
func (w *worker) row(l *think.Lane) data.Row {
	g, p := w.games[l], l.Search.Position()
	l.Search.Root().Policy(w.policy)
	row := data.Row{
		Run:        w.opt.Run,
		Generation: int32(w.opt.Generation),
		Game:       GameNumber(w.opt.Generation, g.number),
		Ply:        int32(g.ply),
		Position:   p.String(),
		Mover:      int32(p.ToMove()),
		Value:      l.Search.Root().Value(),
		Model:      w.opt.Model,
	}
	for a, weight := range w.policy {
		if weight > 0 {
			row.Policy = append(row.Policy, data.Weight{Action: int32(a), Weight: weight})
		}
	}
	return row
}

// Margin returns the lead in points of First (the player who began) at the end of a game, or 0 if
// the game has no scores.
func Margin(p engine.Position) int32 {
	if score := engine.ScoreOf(p.State()); score != nil {
		return int32(score[0] - score[1])
	}
	return 0
}
