package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/console"
	"dojo.example/selfplay"
)

// BackTo moves the files of generation g and of all later generations aside, so that the run
// continues with generation g. It returns the number of this return; see rundir.Return. The run
// must not be open. The samples that are needed to train again must still exist: the samples of
// generation g, and the samples of any earlier generation whose trainer state must be rebuilt.
func BackTo(ctx context.Context, opt Options, g int) (number int, err error) {
	lock, err := opt.Folder.LockStages()
	if err != nil {
		return 0, fmt.Errorf("open run %s: %w", opt.Folder, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	r := &Run{opt: opt}
	if r.done, err = ReadMetrics(opt.Folder); err != nil {
		return 0, err
	}
	if r.ledger, err = audit.Open(opt.Folder); err != nil {
		return 0, err
	}
	// Wait until no process plays games of the run. After the return, a different model may play
	// games of the same generation.
	players, err := opt.Folder.LockPlayersAlone(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	if err := r.endReturn(ctx); err != nil && !errors.Is(err, rundir.ErrHalfUndone) {
		return 0, err
	}
	if g > len(r.done) {
		return 0, fmt.Errorf("run %s cannot go back to generation %d: it has only %d", opt.Folder, g, len(r.done))
	}
	nearest := g
	for possible := false; !possible; nearest-- {
		if possible, err = r.canGoBackTo(nearest); err != nil {
			return 0, err
		}
		if possible && nearest < g {
			return 0, fmt.Errorf("run %s cannot go back to generation %d: samples that it needs have been removed (data: keep: in run.yaml); the nearest earlier generation that is possible is %d", opt.Folder, g, nearest)
		}
	}
	b := rundir.Return{Number: r.ledger.Returns(), Generation: g, Committed: len(r.done)}
	if err := opt.Folder.BeginReturn(b); err != nil {
		return 0, err
	}
	return b.Number, r.goBack(ctx, b)
}

// endReturn finishes a return to an earlier generation that a killed process began. If an older
// version of the program began the return, endReturn returns an error.
func (r *Run) endReturn(ctx context.Context) error {
	b, begun, err := r.opt.Folder.Begun(r.ledger.Returns())
	if begun {
		return r.goBack(ctx, b)
	}
	if errors.Is(err, rundir.ErrHalfUndone) {
		g := len(r.done)
		for _, e := range r.ledger.Select(func(e audit.Entry) bool { return e.Event == audit.Wrong }) {
			g = min(g, e.Generation)
		}
		return fmt.Errorf("%w; %s", err, r.wayBack(g))
	}
	return err
}

// wayBack returns advice for an error message: the command with which the user takes the run back
// to generation g.
func (r *Run) wayBack(g int) string {
	back := []string{"train", "--run", string(r.opt.Folder), "--back-to", strconv.Itoa(g)}
	return "go back with: " + console.Command(append(back, r.opt.Flags...)...)
}

// goBack carries out a return: it moves the files aside and records the return in the ledger.
func (r *Run) goBack(ctx context.Context, b rundir.Return) error {
	r.done = r.done[:min(len(r.done), b.Generation)]
	if err := r.publish(); err != nil {
		return err
	}
	if err := r.opt.Folder.PutAside(ctx, b); err != nil {
		return err
	}
	return r.ledger.Append(audit.Entry{Event: audit.Back, Generation: b.Generation, Number: b.Number})
}

// canGoBackTo reports whether the run still has all samples that are needed to train generation g
// again.
func (r *Run) canGoBackTo(g int) (bool, error) {
	missing, err := r.opt.MissingSamples(g)
	return missing == "", err
}

// MissingSamples returns the path of the first shard of earlier generations that is missing,
// although generation g cannot be trained without it. It returns "" if none is missing. If the
// trainer state of the generation before g is missing, the shards include those from which that
// state can be rebuilt.
func (o *Options) MissingSamples(g int) (path string, err error) {
	from, err := o.retrainFrom(g)
	if err != nil {
		return "", err
	}
	first := g
	for h := from; h <= g; h++ {
		first = min(first, h+1-o.Train.window(h))
	}
	for h := first; h < g; h++ {
		missing, err := o.Folder.Missing(h, o.Selfplay.Shards())
		if err != nil {
			return "", err
		}
		if len(missing) > 0 {
			return o.Folder.Shard(h, missing[0]), nil
		}
	}
	return "", nil
}

// retrainFrom returns the first generation that must be trained again so that generation g can be
// trained. This is the generation after the newest trainer state that is older than g. If the
// generation before g has its trainer state, the result is g.
func (o *Options) retrainFrom(g int) (int, error) {
	for ; g > 0; g-- {
		_, err := os.Stat(o.Folder.TrainerState(g - 1))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	return g, nil
}

// settle checks the results that are in doubt because the worker that sent them has also sent a
// wrong one. If settle removed some of them, it returns audit.ErrDoubt, and the stages of the
// generation begin again.
func (r *Run) settle(ctx context.Context) error {
	if !r.ledger.Doubts() {
		return nil
	}
	// Drop the games of the next generation that were played early, because they may also be in
	// doubt.
	r.dropEarly()
	dropped, err := r.ledger.Settle(ctx, len(r.done), r.drop, r.recompute)
	if spoiled := (*audit.SpoiledError)(nil); errors.As(err, &spoiled) {
		return fmt.Errorf("%w; %s", err, r.wayBack(spoiled.Wrong[0].Generation))
	}
	if err == nil && dropped {
		err = audit.ErrDoubt
	}
	return err
}

// drop removes one result of a generation that is not committed. It also removes the trainer state
// that was trained with this result. Pairs of gate games are kept only in memory, so drop does
// nothing for them.
func (r *Run) drop(e audit.Entry) error {
	if e.Gate {
		return nil
	}
	delete(r.window.generations, e.Generation)
	for _, path := range []string{r.opt.Folder.TrainerState(e.Generation), r.opt.Folder.Shard(e.Generation, e.Shard)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// recompute recomputes results of generation g and returns their hashes. It is an audit.Replayer.
func (r *Run) recompute(ctx context.Context, g int, results []audit.Entry) (hashes map[audit.Place]string, err error) {
	// The numbers of the results. Those with key true are pairs of the gate, and those with key
	// false are shards.
	numbers := map[bool][]int{}
	for _, e := range results {
		numbers[e.Gate] = append(numbers[e.Gate], e.Shard)
	}
	hashes = map[audit.Place]string{}
	report := r.opt.Report.Stage(g, "verify", len(results))
	note := func(gate bool) func(int, []byte) {
		return func(n int, content []byte) {
			hashes[audit.Place{Generation: g, Number: n, Gate: gate}] = rundir.TextHash(content)
			report(len(hashes), "")
		}
	}
	// Group the shards by the program version in their files, because one generation may have
	// shards of two versions.
	versions := map[string][]int{}
	for _, n := range numbers[false] {
		version := r.program(g)
		if h, _, err := data.ReadShard(r.opt.Folder.Shard(g, n), r.opt.Limits()); err == nil {
			version = h.ProgramVersion
		}
		versions[version] = append(versions[version], n)
	}
	for version, shards := range versions {
		if err := r.Replay(ctx, g, version, shards, note(false)); err != nil {
			return nil, err
		}
	}
	return hashes, r.replayPairs(ctx, g, numbers[true], note(true))
}

// program returns the version of the program that made generation g. If g is not committed, it
// returns the version of the running program.
func (r *Run) program(g int) string {
	if g < len(r.done) && r.done[g].Program != "" {
		return r.done[g].Program
	}
	return r.opt.ProgramVersion
}

// Replay plays shards of a committed generation again. It calls note with the contents of each
// shard; calls never overlap. program is the version of the program that is written into the
// shards.
func (r *Run) Replay(ctx context.Context, g int, program string, shards []int, note func(shard int, content []byte)) error {
	if len(shards) == 0 {
		return nil
	}
	job, err := r.opt.job(&Metrics{Generation: g, Player: r.opt.player(r.done, g), Program: program})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	_, err = selfplay.Play(ctx, job, selfplay.Each(shards...), func(p data.Provenance, rows []data.Row) error {
		content, err := data.EncodeShard(p, rows)
		mu.Lock()
		defer mu.Unlock()
		note(p.Shard, content)
		return err
	})
	return err
}

// replayPairs plays pairs of games of generation g's gate again and calls note with the contents of
// each pair.
func (r *Run) replayPairs(ctx context.Context, g int, numbers []int, note func(n int, content []byte)) error {
	if len(numbers) == 0 {
		return nil
	}
	match, err := r.opt.loadGate(g, r.opt.best(r.done[:g]))
	if err != nil {
		return err
	}
	pairs := arena.NewPairs(match)
	players := pairs.Players()
	for _, n := range numbers {
		games, err := pairs.Play(ctx, players, n)
		if err != nil {
			return err
		}
		note(n, arena.EncodePair(games))
	}
	return nil
}
