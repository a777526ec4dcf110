package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"dojo/data"
	"dojo/internal/atomicfile"
	"dojo/internal/bounded"
	"dojo/run"
	"dojo/selfplay"
	"dojo/train"

	"github.com/nats-io/nats.go/jetstream"
)

var _ train.Games = (*Hub)(nil).Games

// Games sees to it that all shards of the job's generation are in the folder: it hands
// them out to workers, plays some itself, and puts those that come back into the folder.
// It is the run's train.Games. The totals are those of all who played.
func (h *Hub) Games(ctx context.Context, folder run.Folder, job selfplay.Job) (total selfplay.Totals, err error) {
	players, err := folder.LockPlayers(ctx) // removes what a killed process has left
	if err != nil {
		return total, fmt.Errorf("cluster: %w", err)
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	g := &generation{hub: h, folder: folder, job: job, queue: newQueue(h.queue, "")}
	g.audit = &audit{hub: h, generation: job.Generation, read: g.read, write: g.write, play: g.playOne, again: g.again}
	if err := h.ledger.Refresh(); err != nil { // a rollback may have written to it
		return selfplay.Totals{}, fmt.Errorf("cluster: %w", err)
	}
	if err := g.post(ctx); err != nil {
		if isOver(ctx) {
			err = context.DeadlineExceeded
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
		}
		return g.total(), fmt.Errorf("cluster: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, part := range []func(context.Context) error{g.receive, g.playHere, g.watch} {
		wg.Go(func() {
			switch err := part(ctx); {
			case errors.Is(err, errAllThere):
				cancel(errAllThere)
			case err != nil && !isOver(ctx):
				cancel(err)
			}
		})
	}
	wg.Wait()
	if b := g.audit.rollback(); b != nil {
		return g.total(), fmt.Errorf("cluster: %w", b)
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errAllThere) {
		return g.total(), fmt.Errorf("cluster: %w", err)
	}
	return g.total(), h.tasks.Purge(context.WithoutCancel(ctx))
}

// errAllThere ends the work on a generation whose shards are all in the folder.
var errAllThere = errors.New("all shards are there")

// A generation is the games that the hub is having played.
type generation struct {
	hub    *Hub
	folder run.Folder
	job    selfplay.Job
	task   task // of which each shard's differs in the number alone
	queue  *queue
	audit  *audit

	mu           sync.Mutex
	here, others selfplay.Totals // played in this process and by workers; guarded by mu
}

// total is what has been played so far.
func (g *generation) total() selfplay.Totals {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.here
	t.Add(g.others)
	return t
}

// count adds to what workers have played, or sets what this process has, and reports.
func (g *generation) count(update func()) {
	g.mu.Lock()
	update()
	t := g.here
	t.Add(g.others)
	t.Games = min(t.Games, g.job.Games) // some may have been played twice
	if g.job.Progress != nil {
		g.job.Progress(t)
	}
	g.mu.Unlock()
}

// post puts the model and a task for every missing shard where workers find them.
func (g *generation) post(ctx context.Context) error {
	file, err := modelFile(g.folder, g.job.Model)
	if err != nil {
		return err
	}
	g.task = task{
		Config: g.hub.opt.Config, Model: g.job.Model, Generation: g.job.Generation,
		Run: g.job.Run, Program: g.job.ProgramVersion,
	}
	if file != nil {
		g.task.File = digest(file)
		if _, err := g.hub.models.GetInfo(ctx, g.task.File); err != nil {
			if _, err := g.hub.models.PutBytes(ctx, g.task.File, file); err != nil {
				return fmt.Errorf("store model %s: %w", g.job.Model, err)
			}
		}
	}
	return g.repost(ctx)
}

// repost makes the tasks anew from what is missing in the folder.
func (g *generation) repost(ctx context.Context) error {
	missing, err := g.folder.Missing(g.job.Generation, g.job.Shards())
	if err != nil {
		return err
	}
	if err := g.hub.tasks.Purge(ctx); err != nil {
		return err
	}
	for _, n := range missing {
		t := g.task
		t.Shard = n
		if _, err := g.hub.js.Publish(ctx, g.hub.names.jobsSubject(), mustJSON(t)); err != nil {
			return fmt.Errorf("post shard %d: %w", n, err)
		}
	}
	g.audit.repeat()
	return nil
}

// again has a shard computed again; see audit.
func (g *generation) again(shard int, except string) {
	t := g.task
	t.Shard, t.Except = shard, except
	if !g.hub.hasOthers(except) {
		g.queue.give(t)
		return
	}
	if _, err := g.hub.js.Publish(context.Background(), g.hub.names.jobsSubject(), mustJSON(t)); err != nil {
		g.hub.opt.Log.Warn("a shard that is to be computed again could not be posted; the trainer plays it", "shard", shard, "error", err)
		g.queue.give(t)
	}
}

// watch ends with errAllThere, and posts tasks again that got lost: shards are missing
// though nobody has a task and none is on its way.
func (g *generation) watch(ctx context.Context) error {
	idle := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
		missing, err := g.folder.Missing(g.job.Generation, g.job.Shards())
		if err != nil {
			return err
		}
		settled, err := g.audit.isSettled()
		if err != nil {
			return err
		}
		if len(missing) == 0 && settled {
			return errAllThere
		}
		const patience = 100 // looks, some two seconds
		if idle++; idle < patience {
			continue
		}
		idle = 0
		tasks, err := g.hub.queue.Info(ctx)
		if err != nil {
			return err
		}
		shards, err := g.hub.shards.Info(ctx)
		if err != nil {
			return err
		}
		if tasks.NumPending == 0 && tasks.NumAckPending == 0 && shards.NumPending == 0 && shards.NumAckPending == 0 {
			g.hub.opt.Log.Warn("tasks got lost and are posted again", "generation", g.job.Generation, "missing", len(missing))
			if err := g.repost(ctx); err != nil {
				return err
			}
		}
	}
}

// playHere plays shards in this process while there are tasks.
func (g *generation) playHere(ctx context.Context) error {
	q := g.queue
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	go q.keep(keeping)
	defer q.giveBack()
	before := selfplay.Totals{}
	for ctx.Err() == nil {
		t, ok, err := q.begin(ctx, time.Second)
		if err != nil || !ok {
			if err != nil && !isOver(ctx) {
				return err
			}
			continue
		}
		if !t.sameJob(g.task) {
			return errors.New("the stream of tasks has some of another generation: does another trainer use it?")
		}
		job := g.job
		job.Progress = func(t selfplay.Totals) {
			g.count(func() { g.here = before; g.here.Add(t) })
		}
		played, err := selfplay.Play(ctx, job, q.next, func(p data.Provenance, rows []data.Row) error {
			content, err := data.EncodeShard(p, rows)
			if err != nil {
				return err
			}
			if _, err := g.audit.submit(ctx, run.Trainer, p.Shard, content); err != nil {
				return err
			}
			return q.done(p.Shard)
		})
		before.Add(played)
		g.count(func() { g.here = before })
		if err != nil {
			return err
		}
	}
	return nil
}

// receive takes the shards of workers.
func (g *generation) receive(ctx context.Context) error {
	for ctx.Err() == nil {
		batch, err := g.hub.shards.Fetch(1, jetstream.FetchContext(ctx))
		if err != nil {
			return unlessOver(ctx, fmt.Errorf("receive shards: %w", err))
		}
		for msg := range batch.Messages() {
			if err := g.accept(ctx, msg); err != nil {
				return err
			}
		}
	}
	return nil
}

// accept puts the shard in a message into the folder, if it is one of the generation.
// What is not is dropped with a line in the log.
func (g *generation) accept(ctx context.Context, msg jetstream.Msg) error {
	log := g.hub.opt.Log
	var r result
	header := msg.Headers().Get(resultHeader)
	if len(header) > maxMessage || json.Unmarshal([]byte(header), &r) != nil {
		log.Warn("a message that is no shard was dropped", "bytes", len(msg.Data()))
		return msg.Ack()
	}
	r.Worker = bounded.Clip(r.Worker)
	log = log.With("worker", r.Worker, "generation", r.Generation, "shard", r.Shard)
	if msg.Subject() != g.hub.names.shardsSubject(r.Worker) {
		log.Warn("a shard that was sent in the name of another worker was dropped")
		return msg.Ack()
	}
	if r.Generation != g.job.Generation || r.File != g.task.File {
		log.Debug("a shard of another generation was dropped")
		return msg.Ack()
	}
	if why := g.hub.isRefused(r.Worker); why != "" {
		log.Warn("a shard of a worker that was cut off was dropped")
		return msg.Ack()
	}
	if err := g.check(r, msg.Data()); err != nil {
		log.Warn("a shard was dropped", "error", err)
		return msg.Ack()
	}
	isNew, err := g.audit.submit(ctx, r.Worker, r.Shard, msg.Data())
	if isNew && err == nil {
		g.count(func() { g.others.Add(r.Totals) })
	}
	if b := (*run.Rollback)(nil); err == nil || errors.As(err, &b) {
		err = errors.Join(err, msg.Ack())
	}
	return err
}

// read returns the content of a shard that is in the folder.
func (g *generation) read(shard int) ([]byte, error) {
	return os.ReadFile(g.folder.Shard(g.job.Generation, shard))
}

// write puts the content of a shard into the folder.
func (g *generation) write(shard int, content []byte) error {
	if err := os.MkdirAll(g.folder.Samples(g.job.Generation), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteBytes(g.folder.Shard(g.job.Generation, shard), content)
}

// check returns an error unless content is the shard that the result says, and can be
// trained on.
func (g *generation) check(r result, content []byte) error {
	if len(content) > maxShard {
		return fmt.Errorf("it has %d bytes, more than %d", len(content), maxShard)
	}
	if r.Shard < 0 || r.Shard >= g.job.Shards() {
		return fmt.Errorf("a generation has shards 0 to %d", g.job.Shards()-1)
	}
	h, rows, err := data.DecodeShard(fmt.Sprintf("%d of %s", r.Shard, r.Worker), content)
	if err != nil {
		return err
	}
	if h.Model != g.job.Model || h.ProgramVersion != g.job.ProgramVersion {
		return fmt.Errorf("it was played by model %s and bears program %s", h.Model, h.ProgramVersion)
	}
	return g.hub.opt.Train.Check(run.Shard{Generation: r.Generation, Number: r.Shard}, h, rows)
}

// playOne plays a shard and returns the content of its file.
func (g *generation) playOne(ctx context.Context, shard int) (content []byte, err error) {
	job := g.job
	job.Progress, job.Workers = nil, 1
	_, err = selfplay.Play(ctx, job, selfplay.Each(shard), func(p data.Provenance, rows []data.Row) (err error) {
		content, err = data.EncodeShard(p, rows)
		return err
	})
	return content, err
}
