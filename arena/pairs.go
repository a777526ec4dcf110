package arena

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"dojo.example/engine"
	"dojo.example/internal/bounded"

	"golang.org/x/sync/errgroup"
)

// Pairs plays and checks the pairs of games of a match. A pair is two games with the same opening
// and swapped sides. Its games depend only on the match's options and the pair's number, so any
// process on any machine can play it.
type Pairs struct {
	Options

	mu        sync.Mutex
	dealt     []engine.Position   // opening of each pair so far; guarded by mu
	seen      map[uint64]struct{} // hashes of the texts of the positions in dealt; guarded by mu
	exhausted bool                // the game has no openings besides dealt; guarded by mu
}

// NewPairs returns the pairs of a match.
func NewPairs(o Options) *Pairs {
	o.Again = o.Again || o.A.Luck || o.B.Luck
	return &Pairs{Options: o, seen: map[uint64]struct{}{}}
}

// End returns one more than the number of the last pair. The result becomes smaller when the match
// finds that the game has too few openings.
func (p *Pairs) End() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exhausted && !p.Again {
		return min(p.Games/2, len(p.dealt))
	}
	return p.Games / 2
}

// Logged reports whether the match's log already has the pair, so that it need not be played.
func (p *Pairs) Logged(pair int) bool { return p.logged[pair] != nil }

// DealAll chooses the openings of all pairs. After that the result of End does not change.
func (p *Pairs) DealAll(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deal(ctx, p.Games/2)
}

// Players creates one player A and one player B. Each goroutine that plays pairs needs its own two
// players.
func (p *Pairs) Players() [2]Player { return [2]Player{p.A.Make(), p.B.Make()} }

// Play plays the two games of a pair. Player A moves first in the first game (as engine.First), and
// player B in the second.
func (p *Pairs) Play(ctx context.Context, players [2]Player, pair int) ([]Record, error) {
	opening, err := p.Opening(ctx, pair)
	if err != nil {
		return nil, err
	}
	var records []Record
	for swapped := range 2 {
		for i, player := range players {
			player.NewGame(p.Seed ^ uint64(4*pair+2*swapped+i+1)*0x9e3779b97f4a7c15)
		}
		r, err := p.playGame(ctx, players, opening, swapped)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", pair, err)
		}
		r.Pair = pair
		records = append(records, r)
	}
	return records, nil
}

// Check returns an error unless records holds the two games of the pair and both games follow the
// rules. It does not check whether the players would have chosen these actions.
func (p *Pairs) Check(ctx context.Context, pair int, records []Record) error {
	opening, err := p.Opening(ctx, pair)
	if err != nil {
		return err
	}
	if len(records) != 2 {
		return fmt.Errorf("a pair has two games, not %d", len(records))
	}
	for i, r := range records {
		if r.Pair != pair || r.AFirst != (i == 0) || r.Opening != opening.String() || r.Forfeit != "" {
			return fmt.Errorf("game %d does not belong to pair %d", i, pair)
		}
		at := opening
		for ply, text := range r.Actions {
			legal, err := p.Game.Turn(at, ply, nil)
			if err != nil {
				return fmt.Errorf("game %d: %w", i, err)
			}
			if at.Outcome() != engine.Ongoing {
				return fmt.Errorf("game %d has an action after its end, at ply %d", i, ply)
			}
			k := slices.IndexFunc(legal, func(a engine.Action) bool { return at.ActionString(a) == text })
			if k < 0 {
				return fmt.Errorf("game %d: %s is not a legal action at ply %d", i, bounded.Quote(text), ply)
			}
			at = at.Play(legal[k])
		}
		if at.Outcome() == engine.Ongoing || at.Outcome() != r.Outcome {
			return fmt.Errorf("game %d: its actions do not lead to its recorded outcome", i)
		}
		if !slices.Equal(r.Points, engine.ScoreOf(at.State())) {
			return fmt.Errorf("game %d: its actions do not lead to its recorded points", i)
		}
	}
	return nil
}

// PlayHere plays the pairs of a match in this process. It is the default [Source].
func PlayHere(ctx context.Context, p *Pairs, finish Finish) error {
	workers := p.Workers
	// A pair is open from its start until it is counted; the channel holds one token for each open
	// pair. This limits the number of finished pairs that wait in memory while a slow earlier pair
	// is still being played.
	open := make(chan struct{}, 16*workers)
	var last atomic.Int64 // number of the next pair to play
	last.Store(int64(p.Skip))
	next := func(ctx context.Context) (pair int, ok bool) {
		select {
		case open <- struct{}{}:
		case <-ctx.Done():
			return 0, false
		}
		for pair = int(last.Add(1) - 1); p.Logged(pair); pair = int(last.Add(1) - 1) {
		}
		return pair, pair < p.End()
	}
	return p.Each(ctx, workers, next, func(pair int, records []Record) error {
		counted, err := finish(pair, records)
		for range counted {
			<-open
		}
		return err
	})
}

// Each plays pairs in several goroutines and calls the function done with the games of each pair.
// It gets the numbers of the pairs from the function next, and stops when next returns false or
// when there is no opening for a pair.
func (p *Pairs) Each(ctx context.Context, workers int, next func(context.Context) (pair int, ok bool), done func(pair int, records []Record) error) error {
	workers, err := p.fit(workers)
	if err != nil {
		return err
	}
	team, within := errgroup.WithContext(ctx)
	for range workers {
		team.Go(func() error {
			var players [2]Player
			defer func() { Release(players[:]...) }()
			for {
				pair, ok := next(within)
				if !ok {
					return nil
				}
				if pair < 0 || pair >= p.Games/2 {
					return fmt.Errorf("match: there is no pair %d; the match has %d pairs", pair, p.Games/2)
				}
				if players[0] == nil {
					players = p.Players()
				}
				records, err := p.Play(within, players, pair)
				if errors.Is(err, errNoOpening) {
					return nil // later pairs have no opening either
				}
				if err != nil {
					return fmt.Errorf("match: %w", err)
				}
				if err := done(pair, records); err != nil {
					return err
				}
			}
		})
	}
	err = team.Wait()
	return cmp.Or(context.Cause(ctx), err)
}

// playGame plays a game from an opening to its end. Player A is engine.First if swapped is 0, and
// engine.Second if swapped is 1.
func (o *Options) playGame(ctx context.Context, players [2]Player, opening engine.Position, swapped int) (Record, error) {
	r := Record{AFirst: swapped == 0, Opening: opening.String()}
	last, err := o.Game.PlayFrom(opening, func(p engine.Position, _ int, legal []engine.Action) (engine.Action, error) {
		// This check is needed because fast players do not check the context themselves.
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		who := int(p.ToMove()) ^ swapped // 0 is player A, 1 is player B
		a, err := players[who].Choose(ctx, p)
		if err != nil {
			return 0, fmt.Errorf("player %s: %w", o.name(who), err)
		}
		if !slices.Contains(legal, a) {
			return 0, fmt.Errorf("player %s answers %q with action %d, which is not legal", o.name(who), p, a)
		}
		r.Actions = append(r.Actions, p.ActionString(a))
		return a, nil
	})
	if f := (Forfeit{}); errors.As(err, &f) {
		r.Outcome, r.Forfeit = engine.WonBy(1-last.ToMove()), f.Error()
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Outcome, r.Points = last.Outcome(), engine.ScoreOf(last.State())
	return r, nil
}

// name returns the name of player A (if who is 0) or of player B (if who is 1) for error messages.
func (o *Options) name(who int) string {
	return cmp.Or([]string{o.A.Player, o.B.Player}[who], string("AB"[who]))
}

// EncodePair encodes the games of a pair as JSON. No game may have ended by a forfeit. Equal games
// give equal bytes.
func EncodePair(games []Record) []byte {
	text, err := json.Marshal(games)
	if err != nil {
		panic(err) // cannot happen: all encoded fields are plain values
	}
	return text
}

// DecodePair is the inverse of EncodePair.
func DecodePair(pair int, content []byte) (games []Record, err error) {
	err = bounded.Unmarshal(content, &games)
	for i := range games {
		games[i].Pair, games[i].AFirst = pair, i == 0
	}
	return games, err
}
