package arena

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// The result of a match does not depend on the number of workers, and both games of a pair have the
// same opening. Tic-tac-toe has 72 openings of two random actions, and only one without random
// actions.
func TestMatchIsReproducible(t *testing.T) {
	for plies, games := range map[int]int{2: 40, 1: 40, 0: 10} {
		play := func(workers int) (Result, []Record) {
			var all []Record
			r := match(t, Options{
				A: byPlayouts(20), B: Greedy(), Games: games, Seed: 5, OpeningPlies: plies, Workers: workers,
				Records: func(r Record) error { all = append(all, r); return nil },
			})
			return r, all
		}
		want, records := play(1)
		for _, workers := range []int{2, 7} {
			if got, again := play(workers); got != want || !reflect.DeepEqual(again, records) {
				t.Errorf("%d workers: %+v, want %+v", workers, got, want)
			}
		}
		if len(records) != games || want.Games() != games {
			t.Fatalf("%d records of %d games", len(records), want.Games())
		}
		for i, r := range records {
			if r.Pair != i/2 || r.AFirst != (i%2 == 0) || r.Opening != records[i/2*2].Opening {
				t.Errorf("record %d is %+v", i, r)
			}
			if p := position(t, board, r.Opening); p.Outcome() != engine.Ongoing || winsAtOnce(p) {
				t.Errorf("opening %s is decided", r.Opening)
			}
		}
	}
}

// A match uses no opening twice as long as the game has unused openings. After that it uses all
// openings equally often.
func TestOpeningsAreDifferent(t *testing.T) {
	for plies, want := range []int{1, 9, 72} {
		for _, pairs := range []int{1, 60, 150} {
			played := make(map[string]int)
			r := match(t, Options{A: Random(), B: Random(), Games: 2 * pairs, Seed: 1, OpeningPlies: plies,
				Records: func(r Record) error { played[r.Opening]++; return nil }})
			if want := min(want, pairs); len(played) != want || r.Openings != want {
				t.Errorf("%d pairs of %d random actions: %d different openings, %d in the result, want %d", pairs, plies, len(played), r.Openings, want)
			}
			for text, n := range played {
				if least := 2 * (pairs / len(played)); n < least || n > least+2 {
					t.Errorf("%d pairs: opening %s was played %d times, want %d or %d", pairs, text, n, least, least+2)
				}
			}
		}
	}
}

// A repeated game does not count: if deterministic players repeat their games, their Elo does not
// become more certain.
func TestRepeatsCountOnce(t *testing.T) {
	cfg := mcts.Default()
	cfg.Simulations = 30
	weak := Net("", noughts, model.Uniform, cfg)
	cfg.Simulations = 300
	strong := Net("", noughts, model.Uniform, cfg)
	once := match(t, Options{A: strong, B: weak, Games: 18, Seed: 1, OpeningPlies: 1})
	var records []Record
	many := match(t, Options{A: strong, B: weak, Games: 180, Seed: 1, OpeningPlies: 1, Again: true, Records: func(r Record) error { records = append(records, r); return nil }})
	if many.Games() != 180 || many.Repeats != 162 || many.Openings != 9 || many.Wins != 10*once.Wins {
		t.Errorf("ten times %+v is %+v", once, many)
	}
	elo, low, high := once.Elo()
	if e, l, h := many.Elo(); e != elo || l != low || h != high || many.Seats != once.Seats {
		t.Errorf("Elo %v [%v, %v] once, and %v [%v, %v] ten times", elo, low, high, e, l, h)
	}
	for i, r := range records {
		if r.Repeat != (i >= 18) {
			t.Errorf("record %d: repeat %v", i, r.Repeat)
		}
	}
}

// If one game of a pair repeats an earlier game, the pair counts as half a pair.
func TestHalfPair(t *testing.T) {
	var r Result
	r.add([]Record{{AFirst: true, Outcome: engine.FirstWins}, {Outcome: engine.FirstWins}})
	r.add([]Record{{AFirst: true, Outcome: engine.FirstWins, Repeat: true}, {Outcome: engine.SecondWins}})
	r.add([]Record{{AFirst: true, Outcome: engine.FirstWins, Repeat: true}, {Outcome: engine.FirstWins, Repeat: true}})
	want := Result{
		Wins: 4, Losses: 2, Repeats: 3, Pairs: [5]float64{2: 1, 4: 0.5},
		Seats: [2]Seat{engine.First: {1, 2}, engine.Second: {2, 2}},
	}
	if r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if s := r.Score(); math.Abs(s-2.0/3) > 1e-12 {
		t.Errorf("score %v, want two of three points", s)
	}
}

// If a deterministic player plays itself, each side scores one point in every pair.
func TestPairsAreFair(t *testing.T) {
	cfg := mcts.Default()
	cfg.Simulations = 30
	net := Net("", noughts, model.Uniform, cfg)
	r := match(t, Options{A: net, B: net, Games: 30, Seed: 1, OpeningPlies: 3})
	if r.Pairs != [5]float64{2: 15} {
		t.Errorf("pairs %v", r.Pairs)
	}
	if r.Seats[engine.First].Score()+r.Seats[engine.Second].Score() != 1 || r.Seats[engine.First].Score() == 0.5 {
		t.Errorf("as First %v, as Second %v: want 1 together, and more of it as First", r.Seats[engine.First].Score(), r.Seats[engine.Second].Score())
	}
}

// If a sequential test stops a match early, the result covers the pairs with the lowest numbers, up
// to the pair that decided the test. It does not depend on the order in which the pairs finish. An
// error of Records also stops a match.
func TestStop(t *testing.T) {
	test, games := SPRT{0, 200}, 0
	for _, workers := range []int{1, 3, 8} {
		r := match(t, Options{A: perfect, B: Random(), Games: 100, Seed: 1, OpeningPlies: 1, Workers: workers, Test: &test})
		if games == 0 {
			games = r.Games()
		}
		if _, v := test.Verdict(r); v != Accept || games == 100 || r.Games() != games {
			t.Errorf("%d workers: %v after %d games, want %v after %d, and fewer than 100", workers, v, r.Games(), Accept, games)
		}
	}
	full, played := errors.New("no room"), 0
	_, err := Match(t.Context(), Options{Game: board, A: Greedy(), B: Random(), Games: 100, Workers: 3, Records: func(Record) error {
		if played++; played == 12 {
			return full
		}
		return nil
	}})
	if !errors.Is(err, full) || played != 12 {
		t.Errorf("when a game could not be kept: %v after %d games, want %v after 12", err, played, full)
	}
}

// A match of almost unlimited length starts immediately and stops when its context is cancelled. It
// creates no more players and records than it needs.
func TestLongMatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var made atomic.Int64
	counted := Contestant{Make: func() Player { made.Add(1); return &random{} }}
	r, err := Match(ctx, Options{
		Game: board, A: counted, B: counted, Games: math.MaxInt - 1, Workers: 1_000_000,
		Progress: func(int, Result) { cancel() },
	})
	if !errors.Is(err, context.Canceled) || r.Games() == 0 {
		t.Errorf("%d games and the error %v, want some games and %v", r.Games(), err, context.Canceled)
	}
	if made.Load() > 2*maxWorkers {
		t.Errorf("%d players were made, want at most %d", made.Load(), 2*maxWorkers)
	}
	made.Store(0)
	match(t, Options{A: counted, B: counted, Games: 6, Workers: 1000})
	if made.Load() > 6 {
		t.Errorf("%d players were made for three pairs, want at most 6", made.Load())
	}
}

// While one game takes a long time, the match plays only a limited number of later games.
func TestLongGame(t *testing.T) {
	var mu sync.Mutex
	begun, first := 0, make(chan struct{})
	waits := Contestant{Make: func() Player {
		return waiter{random: &random{}, wait: func() {
			mu.Lock()
			begun++
			mine := begun
			mu.Unlock()
			if mine == 1 {
				<-first
			}
		}}
	}}
	ended := make(chan Result)
	go func() {
		r, err := Match(t.Context(), Options{Game: board, A: waits, B: Random(), Games: 2000, Workers: 2})
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	for last, same := -1, 0; same < 20; time.Sleep(time.Millisecond) {
		mu.Lock()
		if same++; begun != last {
			last, same = begun, 0
		}
		mu.Unlock()
	}
	if begun > 200 {
		t.Errorf("%d games were played while the first one lasted", begun)
	}
	close(first)
	if r := <-ended; r.Games() != 2000 {
		t.Errorf("%d games, want 2000", r.Games())
	}
}

// A waiter is a random player that waits at the beginning of each game.
type waiter struct {
	*random
	wait func()
}

func (w waiter) NewGame(seed uint64) { w.wait(); w.random.NewGame(seed) }

type fixed struct {
	action engine.Action
	err    error
}

func (fixed) NewGame(uint64) {}
func (f fixed) Choose(context.Context, engine.Position) (engine.Action, error) {
	return f.action, f.err
}

func TestBadPlayers(t *testing.T) {
	for says, player := range map[string]fixed{"not legal": {action: 8}, "out of paper": {err: errors.New("out of paper")}} {
		for name, called := range map[string]string{"": "player B", "cmd:./bot": "player cmd:./bot"} {
			_, err := Match(t.Context(), Options{Game: board, A: Random(), B: Contestant{Player: name, Make: func() Player { return player }}, Games: 2})
			if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), called+" ") && !strings.Contains(err.Error(), called+":") {
				t.Errorf("error %v should name %s and %q", err, called, says)
			}
		}
	}
	if _, err := Match(t.Context(), Options{Game: board, A: Random(), B: Random(), Games: 3}); err == nil {
		t.Error("a match of three games was played")
	}
}
