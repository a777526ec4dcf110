package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/audit"
)

// PlayMatch is an [arena.Source]. This process and the workers play the pairs of games of a match.
// PlayMatch returns an error if a player might play differently on another machine; see
// [arena.Portable].
func (h *Hub) PlayMatch(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
	match := p.Options
	if match.Balanced != nil {
		return errors.New("workers cannot play a match with balanced openings")
	}
	if !match.Again {
		if err := p.DealAll(ctx); err != nil {
			return err
		}
	}
	spec := worker.MatchSpec{Game: match.Game.Name, Games: match.Games, Seed: match.Seed, OpeningPlies: match.OpeningPlies}
	var files [2][]byte
	for i, c := range []arena.Contestant{match.A, match.B} {
		if err := arena.Portable(c.Player, nil); err != nil {
			return err
		}
		spec.Players[i] = c.NameWith(worker.ModelPaths[i])
		if c.Checkpoint == nil {
			continue
		}
		var content bytes.Buffer
		if err := c.Checkpoint.Encode(&content); err != nil {
			return err
		}
		files[i] = content.Bytes()
	}
	d := newMatch(wire.NewLot("match", spec, files), files, p, finish)
	d.title = fmt.Sprintf("match of %s against %s", match.A.Player, match.B.Player)
	_, err := h.do(ctx, d)
	if errors.Is(err, audit.ErrDoubt) {
		again := "start it again"
		if match.Log != nil {
			again += " with a new file of games" // the user must choose another file, because the old file contains the wrong games
		}
		banned := slices.Sorted(maps.Keys(d.audit.Ledger.Banned()))
		return fmt.Errorf("cluster: the %s has counted wrong games from %s: %s", d.title, strings.Join(banned, ", "), again)
	}
	return err
}
