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

// Service reads queries and answers each of them as soon as its search has ended, so the answers
// may come in any order. Each query is one line of JSON. docs/ANALYSIS.md describes the format. If
// a query is invalid, the service answers with an error and continues with the next line. At most
// Pending queries are unanswered at a time. At that limit, the service reads no further lines until
// it has answered one of them. Call Run only once.
type Service struct {
	// Open returns an analyser for a game. The service calls it for the first query of each game.
	Open func(game string) (*Analyser, error)

	Game    string       // game of queries that name none; if "", such queries are errors
	Usual   think.Budget // budget of queries without limits
	Pending int          // maximum number of unanswered queries; 0: 1024

	out    io.Writer
	group  sync.WaitGroup // goroutines that wait for a search and write its answer
	room   chan struct{}  // holds one element per unanswered query
	end    context.CancelCauseFunc
	opened map[string]*Analyser // analysers by game; used only by the goroutine that reads queries

	mu      sync.Mutex                         // also held while an answer is written
	pending map[string]context.CancelCauseFunc // unanswered queries by ID
}

// errCancelled is the error of a cancelled query.
var errCancelled = errors.New("cancelled")

// Run reads queries from r and writes the answers to w. It returns at the end of r, after all
// queries are answered. It also returns when ctx ends or writing fails. When ctx ends, the caller
// must unblock a pending call of r.Read, for example by closing r.
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
	// When ctx ends, the caller may close r. Then read may return an error from the closed r
	// instead of noticing that its context has ended. Return the true reason, the cause of ctx.
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		stop(err)
	}
	s.group.Wait()
	return context.Cause(searching) // nil if all queries are answered
}

// read handles each line until the end of the input.
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

// skip reads and ignores the rest of a line that is too long.
func skip(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// handle begins the search that a line asks for. First it waits until fewer than Pending queries
// are unanswered. If the line is invalid, handle writes a Failure instead. If handle returns an
// error, the service ends.
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
		return s.write(Failure{q.ID, "id: an earlier query with this id is still unanswered"})
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

// cancel cancels the query with the ID q.Cancel. The answer to the cancelled query is a Failure
// with errCancelled.
func (s *Service) cancel(q Query) error {
	s.mu.Lock()
	cancel := s.pending[q.Cancel]
	s.mu.Unlock()
	if cancel == nil {
		return s.write(Failure{q.ID, fmt.Sprintf("cancel: there is no unanswered query %s", bounded.Quote(q.Cancel))})
	}
	cancel(errCancelled)
	return s.write(struct {
		ID     string `json:"id"`
		Cancel string `json:"cancel"`
	}{q.ID, q.Cancel})
}

// answer waits for the end of a search and writes its result.
func (s *Service) answer(ctx context.Context, q Query, game string, p engine.Position, r *Running) error {
	t, err := r.Wait()
	s.mu.Lock()
	delete(s.pending, q.ID)
	s.mu.Unlock()
	defer func() { <-s.room }()
	switch {
	case err == nil:
		return s.write(q.Answer(game, p, t))
	case ctx.Err() != nil: // the service is ending
		return nil
	}
	return s.write(Failure{q.ID, bounded.Clip(err.Error())})
}

// write writes a value as one line of JSON.
func (s *Service) write(v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	encoder := json.NewEncoder(s.out) // Encode calls Write once per value
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	return nil
}
