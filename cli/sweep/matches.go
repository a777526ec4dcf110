package sweep

import (
	"context"
	"fmt"
	"hash/fnv"

	"dojo.example/arena"
	"dojo.example/model"
	"dojo.example/search/think"
)

// contestant returns a player that uses the model file called name from the run of arm a with the
// given seed. The player searches the given number of simulations per move.
func (s *Sweep) contestant(a arm, seed int, name string, simulations int) (c arena.Contestant, err error) {
	if name == model.NoModel {
		return arena.Parse(fmt.Sprintf("%s:%d", name, simulations), s.env)
	}
	text := fmt.Sprintf("%s/%s:%d", a.player(seed), name, simulations)
	if c, known := s.players[text]; known {
		return c, nil
	}
	checkpoint, err := s.env.Load(s.folder(a, seed).Model(name))
	if err == nil {
		c, err = arena.Model(s.env.Game, a.player(seed)+"/"+name, checkpoint, think.Budget{Visits: simulations})
	}
	s.players[text] = c
	return c, err
}

// final returns the best model of a complete run as a player.
func (s *Sweep) final(a arm, seed, simulations int) (c arena.Contestant, err error) {
	name, err := s.folder(a, seed).Best()
	if err != nil {
		return c, err
	}
	return s.contestant(a, seed, name, simulations)
}

// play plays the games of a match that have not been played yet, and returns the result of all its
// games.
func (s *Sweep) play(ctx context.Context, a, b arena.Contestant, games int) (r arena.Result, err error) {
	seed := fnv.New64a()
	fmt.Fprint(seed, a.Player, b.Player)
	now := false // set if this call plays any games
	match := arena.Options{
		Game: s.env.Game.Game, A: a, B: b, Games: games, Seed: seed.Sum64(), OpeningPlies: s.arms[0].config.Gate.OpeningPlies,
		Workers: s.opt.Workers, Source: s.opt.Source, Log: s.log,
		Records: func(arena.Record) error { now = true; return nil },
	}
	n, err := arena.Openings(ctx, match)
	// If there are too few openings, use longer ones. This can happen because a match may need more
	// openings than a gate match of training.
	if err == nil && n < games/2 {
		match.OpeningPlies, _, err = arena.Plies(ctx, match)
	}
	if err == nil {
		r, err = arena.Match(ctx, match)
	}
	if err != nil {
		return r, fmt.Errorf("match of %s against %s: %w", a.Player, b.Player, err)
	}
	s.played(now)
	return r, nil
}

// An entrant is a run that takes part in the matches of a sweep.
type entrant struct {
	arm
	seed int
}

// meetings returns the pairs of runs that play each other. Each run plays against all runs of the
// other arms (configurations). If there is only one arm, its runs play each other.
func (s *Sweep) meetings() (all [][2]entrant) {
	var runs []entrant
	for _, a := range s.arms {
		for seed := range s.opt.File.Seeds {
			runs = append(runs, entrant{a, seed + 1})
		}
	}
	for i, a := range runs {
		for _, b := range runs[:i] {
			if a.Name != b.Name || len(s.arms) == 1 {
				all = append(all, [2]entrant{a, b})
			}
		}
	}
	return all
}

// finals plays the matches between all final models and rates the runs. simulations returns the
// number of simulations per move for the models of an arm (a configuration).
func (s *Sweep) finals(ctx context.Context, games int, simulations func(arm) int) (r ratings, err error) {
	var all []arena.Meeting
	for _, m := range s.meetings() {
		var players [2]arena.Contestant
		for i, x := range m {
			if players[i], err = s.final(x.arm, x.seed, simulations(x.arm)); err != nil {
				return r, err
			}
		}
		result, err := s.play(ctx, players[0], players[1], s.opt.File.perMeeting(games))
		if err != nil {
			return r, err
		}
		all = append(all, result.Meeting(m[0].player(m[0].seed), m[1].player(m[1].seed)))
	}
	return ratings{arena.Rate(all)}, nil
}
