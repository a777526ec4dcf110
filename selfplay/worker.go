package selfplay

import (
	"context"

	"dojo/data"
	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// A worker drives its lanes in step on one core.
type worker struct {
	opt    *Job
	out    *collector
	deal   func() (game int, ok bool)
	batch  *model.Batch
	policy []float32 // scratch: an improved policy
	lanes  []*lane
	asking []*lane // the lanes whose leaves are in the batch, in row order
	totals Totals
}

// A lane is one game in progress and the memory for the next.
type lane struct {
	search mcts.Search
	game   int
	ply    int
	rows   []data.Row
	over   bool // no game is left to play
}

func newWorker(opt *Job, out *collector, deal func() (int, bool)) *worker {
	w := &worker{
		opt:    opt,
		out:    out,
		deal:   deal,
		batch:  model.NewBatch(opt.Game.Spec, opt.Lanes),
		policy: make([]float32, opt.Game.Actions),
	}
	first := opt.NewSearch(opt.Search)
	for i := range opt.Lanes {
		l := &lane{search: first}
		if i > 0 {
			l.search = first.Fork()
		}
		w.start(l)
		w.lanes = append(w.lanes, l)
	}
	return w
}

// run plays until no game is left to deal.
func (w *worker) run(ctx context.Context) error {
	planes, actions := w.opt.Game.Planes.Size(), w.opt.Game.Actions
	for {
		w.asking = w.asking[:0]
		for _, l := range w.lanes {
			row := len(w.asking)
			asks, err := w.advance(l, w.batch.Planes[row*planes:(row+1)*planes])
			if err != nil {
				return err
			}
			if asks {
				w.asking = append(w.asking, l)
			}
		}
		if len(w.asking) == 0 {
			return nil
		}
		w.batch.N = len(w.asking)
		if err := w.opt.Evaluator.Evaluate(ctx, w.batch); err != nil {
			return err
		}
		for row, l := range w.asking {
			l.search.Expand(w.batch.Logits[row*actions:(row+1)*actions], w.batch.Values[row])
		}
		w.totals.Evaluations += len(w.asking)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// advance searches and plays on in l until it needs an evaluation; false
// means that l has no game left.
func (w *worker) advance(l *lane, planes []float32) (bool, error) {
	for !l.over {
		if l.search.Done() {
			if err := w.move(l); err != nil {
				return false, err
			}
			continue
		}
		w.totals.Simulations++
		if l.search.Leaf(planes) {
			return true, nil
		}
	}
	return false, nil
}

// start deals the next game to l.
func (w *worker) start(l *lane) {
	game, ok := w.deal()
	if !ok {
		l.over = true
		return
	}
	rng := stream(w.opt.Seed, w.opt.Generation, game)
	l.game, l.ply, l.rows = game, 0, nil
	l.search.Reset(w.opt.Game.Start(rng), rng)
}

// move ends the thinking on one position: it records the row and plays.
func (w *worker) move(l *lane) error {
	p := l.search.Position()
	l.search.Policy(w.policy)
	row := data.Row{
		Run:        w.opt.Run,
		Generation: int32(w.opt.Generation),
		Game:       int64(w.opt.Generation)*gamesPerGeneration + int64(l.game),
		Ply:        int32(l.ply),
		Position:   p.String(),
		Mover:      int32(p.ToMove()),
		Value:      l.search.Value(),
		Model:      w.opt.Model,
	}
	for a, weight := range w.policy {
		if weight > 0 {
			row.Policy = append(row.Policy, data.Weight{Action: int32(a), Weight: weight})
		}
	}
	temperature := w.opt.Temperature
	if l.ply >= w.opt.TemperaturePlies {
		temperature = w.opt.FinalTemperature
	}
	a := l.search.Choose(temperature)
	row.Action = int32(a)
	l.rows = append(l.rows, row)
	l.search.Play(a)
	l.ply++

	if z := l.search.Position().Outcome(); z != engine.Ongoing {
		margin := margin(l.search.Position())
		for i := range l.rows {
			l.rows[i].Outcome, l.rows[i].Margin = int32(z.Value()), margin
			l.rows[i].TurnsLeft = int32(len(l.rows) - i)
		}
		if err := w.out.finish(l.game, l.rows); err != nil {
			return err
		}
		w.start(l)
	}
	return nil
}

// margin is First's lead in a finished game, 0 where there are no scores.
func margin(p engine.Position) int32 {
	scorer, ok := p.State().(engine.Scorer)
	if !ok {
		return 0
	}
	first, second := scorer.Score()
	return int32(first - second)
}
