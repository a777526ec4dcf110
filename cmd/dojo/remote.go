package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"dojo/arena"
	"dojo/cluster"
	"dojo/configs"
	"dojo/engine"
	"dojo/games"
	"dojo/model"
)

// selfPath stands for the path of the model that a verb was given, in the names of
// players. No file has such a name.
const selfPath = "./\x00"

// A remote lets workers play the pairs of matches.
type remote struct {
	hub         *cluster.Hub
	dir         string // of the hub's server
	game        engine.Game
	simulations int
	self        *model.Checkpoint // at selfPath
}

// portable returns an error for the first player that workers could not play, if the
// flags let workers help.
func (f *clusterFlags) portable(players ...string) error {
	if !f.on() {
		return nil
	}
	for _, p := range players {
		if _, _, err := arena.Portable(p, "", 1); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// remote starts a hub for matches of a game, if the flags ask for one; nil if not. Self
// is the model at selfPath; nil if there is none.
func (f *clusterFlags) remote(ctx context.Context, app *app, game games.Entry, simulations int, self *model.Checkpoint) (*remote, error) {
	if !f.on() {
		return nil, nil
	}
	frozen := configs.Frozen{Name: "matches", Config: configs.Default()}
	frozen.Config.Game = game.Name
	if self != nil {
		frozen.Config.Network = self.Network.Configured()
	}
	text, err := frozen.Text()
	if err != nil {
		return nil, err
	}
	r := &remote{game: game.Game.Game, simulations: simulations, self: self}
	if r.dir, err = os.MkdirTemp("", "dojo-matches-"); err != nil {
		return nil, err
	}
	opt := cluster.HubOptions{Name: fmt.Sprintf("matches of %s", game.Name), Config: string(text), Dir: r.dir, Once: true}
	if r.hub, err = f.hub(ctx, app, opt); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.dir))
	}
	return r, nil
}

// source returns who plays the pairs of a match between named players.
func (r *remote) source(match arena.Options, players [2]string) (arena.Source, error) {
	return r.hub.Source(match, cluster.Match{Game: r.game.Name, Players: players, Simulations: r.simulations, Load: func(path string) (*model.Checkpoint, error) {
		if path == selfPath {
			return r.self, nil
		}
		return modelOf(r.game, path)
	}})
}

// close ends the hub. Workers end as well, if all matches have been played.
func (r *remote) close(allPlayed bool) error {
	if r == nil {
		return nil
	}
	return errors.Join(r.hub.Close(allPlayed), os.RemoveAll(r.dir))
}
