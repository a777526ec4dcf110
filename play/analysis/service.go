package analysis

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/search/think"
)

// Service reads queries, a line of JSON each, and answers them as they are done, in any
// order; docs/ANALYSIS.md describes the lines. What is wrong with a query is answered
// too, and the next is read. At most Pending queries are searched or wait; meanwhile no
// further line is read. One goroutine calls Run, once.
type Service struct {
	// Open returns an analyser of a game. It is called for the first query of each game.
	Open func(game string) (*Analyser, error)

	Game    string       // the game of queries that name none; if it is "", these are errors
	Usual   think.Budget // the budget of queries that set no limit
	Pending int          // see above; 0 stands for 1024

	out    io.Writer
	group  sync.WaitGroup // of the goroutines that wait for a search and answer
	room   chan struct{}  // has an element for each pending query
	end    context.CancelCauseFunc
	opened map[string]*Analyser // by game; only the goroutine that reads uses it

	mu      sync.Mutex                         // also held while writing
	pending map[string]context.CancelCauseFunc // by ID
}

// errCancelled is the error of a query that was cancelled.
var errCancelled = errors.New("cancelled")

// Run answers the queries of r on w until r ends and all are answered, or ctx ends, or
// writing fails. A read of r that waits for input must end when ctx does.
func (s *Service) Run(ctx context.Context, r io.Reader, w io.Writer) error {
	if s.Pending == 0 {
		s.Pending = 1024
	}
	s.out, s.room = w, make(chan struct{}, s.Pending)
	s.opened, s.pending = map[string]*Analyser{}, map[string]context.CancelCauseFunc{}
	searching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.end = stop
	err := s.read(searching, bufio.NewReaderSize(bounded.PlainReader(r), bounded.Line))
	if ctx.Err() != nil { // the caller may close r when it ends ctx, before searching has ended
		err = context.Cause(ctx)
	}
	if err != nil {
		stop(err)
	}
	s.group.Wait()
	return context.Cause(searching) // nil: all is answered
}

// read handles lines until there are no more.
func (s *Service) read(ctx context.Context, r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if err = s.write(Failure{Error: bounded.ErrLine.Error()}); err == nil {
				err = skip(r)
			}
			line = nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && ctx.Err() == nil {
			if bad := s.handle(ctx, line); bad != nil {
				return bad
			}
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read queries: %w", err)
		}
	}
}

// skip reads the rest of a line that is too long.
func skip(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// handle begins the search that a line asks for, as soon as fewer than Pending queries are
// unanswered. What is wrong with the line is answered; an error of handle ends the service.
func (s *Service) handle(ctx context.Context, line []byte) error {
	q, err := ParseQuery(line)
	if err == nil && q.Cancel != "" {
		return s.cancel(q)
	}
	var a *Analyser
	var p engine.Position
	if err == nil {
		a, err = s.open(q.Game)
	}
	if err == nil {
		p, err = q.Reach(a.Game)
	}
	if err != nil {
		return s.write(Failure{q.ID, bounded.Clip(err.Error())})
	}
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.mu.Lock()
	if s.pending[q.ID] != nil {
		s.mu.Unlock()
		<-s.room
		return s.write(Failure{q.ID, "id: a query with this id is not answered yet"})
	}
	search, cancel := context.WithCancelCause(ctx)
	s.pending[q.ID] = cancel
	s.mu.Unlock()
	r := a.Begin(search, p, q.budget(s.Usual), q.Priority)
	s.group.Go(func() {
		defer cancel(nil)
		if err := s.answer(ctx, q, a.Game.Name, p, r); err != nil {
			s.end(err)
		}
	})
	return nil
}

// open returns the analyser of the named game.
func (s *Service) open(name string) (a *Analyser, err error) {
	if name = cmp.Or(name, s.Game); name == "" {
		return nil, errors.New("game: it is missing")
	}
	if a = s.opened[name]; a == nil {
		if a, err = s.Open(name); err == nil {
			s.opened[name] = a
		}
	}
	return a, err
}

// cancel cancels another query, which is then answered with errCancelled.
func (s *Service) cancel(q Query) error {
	s.mu.Lock()
	cancel := s.pending[q.Cancel]
	s.mu.Unlock()
	if cancel == nil {
		return s.write(Failure{q.ID, fmt.Sprintf("cancel: no query %s waits for an answer", bounded.Quote(q.Cancel))})
	}
	cancel(errCancelled)
	return s.write(struct {
		ID     string `json:"id"`
		Cancel string `json:"cancel"`
	}{q.ID, q.Cancel})
}

// answer waits for a search and writes what it has found.
func (s *Service) answer(ctx context.Context, q Query, game string, p engine.Position, r *Running) error {
	t, err := r.Wait()
	s.mu.Lock()
	delete(s.pending, q.ID)
	s.mu.Unlock()
	defer func() { <-s.room }()
	switch {
	case err == nil:
		return s.write(q.Answer(game, p, t))
	case ctx.Err() != nil: // the service ends
		return nil
	}
	return s.write(Failure{q.ID, bounded.Clip(err.Error())})
}

// write writes a value on a line of its own.
func (s *Service) write(v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	encoder := json.NewEncoder(s.out) // one Write for each value
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	return nil
}
