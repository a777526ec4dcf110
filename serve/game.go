package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"dojo/analysis"
	"dojo/data"
	"dojo/engine"
	"dojo/games"
	"dojo/model"
	"dojo/play"
	"dojo/run"
	"dojo/selfplay"
	"dojo/think"
)

// Game is a game of a run, position by position.
type Game struct {
	Listed
	Run       string              `json:"run"`
	Game      string              `json:"game"`
	Positions []analysis.Position `json:"positions"` // from the start to the end; they list no legal actions

	// What the searches of self-play left behind, one for each position but the last;
	// empty for a gate's games.
	Searches []Opinion `json:"searches"`
}

// Opinion is what a search or a network thinks of a position.
type Opinion struct {
	Value  float32  `json:"value"`
	Policy []Weight `json:"policy"` // of the legal actions, the largest weight first; those of weight 0 may be missing
}

// Weight is an action and its probability.
type Weight struct {
	Move   string  `json:"move"`
	Weight float32 `json:"weight"`
}

// Thoughts are what the players of a game think of its positions, computed again: one
// for each position but the last.
type Thoughts struct {
	// Networks is what the network of the model to move thinks without a search.
	Networks []Opinion `json:"networks"`

	// Searches is what its search found, for a gate's games: with as many simulations as
	// in the gate. It need not be the same to the last bit, for a search may begin with
	// a part of an earlier one's tree. Empty for games of self-play.
	Searches []Opinion `json:"searches"`
}

// kept is a game as it is kept, read and checked.
type kept struct {
	listed Listed
	entry  games.Entry
	play   play.Game
	rows   []data.Row // of a game of self-play
}

// request finds the game that the path of a request names.
func (s *Server) request(w http.ResponseWriter, r *http.Request) (*watched, *kept) {
	run := s.byID(r.PathValue("run"))
	if run == nil {
		fail(w, http.StatusNotFound, fmt.Errorf("there is no run %q", r.PathValue("run")))
		return nil, nil
	}
	generation, err := strconv.Atoi(r.PathValue("generation"))
	number, bad := strconv.Atoi(r.PathValue("number"))
	if err = errors.Join(err, bad); err != nil || generation < 0 || number < 0 {
		fail(w, http.StatusBadRequest, errors.New("a game is named by the numbers of its generation and within it"))
		return nil, nil
	}
	s.mu.Lock()
	name := run.frozen.Config.Game
	s.mu.Unlock()
	k, err := s.find(r.Context(), run.folder, name, r.PathValue("source"), generation, number)
	switch {
	case errors.Is(err, errNoGames):
		fail(w, http.StatusNotFound, err)
	case err != nil:
		fail(w, http.StatusInternalServerError, err)
	}
	if err != nil {
		return nil, nil
	}
	return run, k
}

// find finds a game of a run.
func (s *Server) find(ctx context.Context, f run.Folder, name, source string, generation, number int) (*kept, error) {
	entry, err := games.ByName(name)
	if err != nil {
		return nil, err
	}
	have, err := generationsOf(f, source)
	if err != nil {
		return nil, err
	}
	if (source != selfplaySource && source != gateSource) || !slices.Contains(have, generation) {
		return nil, fmt.Errorf("%s, generation %d: %w", source, generation, errNoGames)
	}
	all, err := s.index.games(ctx, f, source, generation)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(l Listed) bool { return l.Number == number })
	if i < 0 {
		return nil, fmt.Errorf("%s, generation %d, game %d: %w", source, generation, number, errNoGames)
	}
	k := &kept{listed: all[i], entry: entry}
	if source == gateSource {
		return k, k.readGate(f)
	}
	return k, k.readShard(f)
}

// readGate reads the game from the file of its gate.
func (k *kept) readGate(f run.Folder) error {
	path := f.Gate(k.listed.Generation)
	all, err := readGate(path)
	if err != nil {
		return err
	}
	if k.listed.Number >= len(all) {
		return fmt.Errorf("game %d: %w", k.listed.Number, errNoGames) // the file is another one by now
	}
	g := all[k.listed.Number]
	if k.play, err = play.Follow(k.entry.Game, g.Opening, g.Actions); err != nil {
		return fmt.Errorf("%s, line %d: %w", path, k.listed.Number+1, err)
	}
	return nil
}

// readShard reads the game from its shard.
func (k *kept) readShard(f run.Folder) error {
	path := f.Shard(k.listed.Generation, k.listed.shard)
	_, rows, err := data.ReadShard(path)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if selfplay.Number(r.Game) == k.listed.Number {
			k.rows = append(k.rows, r)
		}
	}
	if len(k.rows) == 0 {
		return fmt.Errorf("game %d: %w", k.listed.Number, errNoGames) // the file is another one by now
	}
	start, err := k.entry.Parse(k.rows[0].Position)
	if err != nil {
		return fmt.Errorf("shard %s: %w", path, err)
	}
	k.play = play.New(k.entry.Game, start)
	for _, r := range k.rows {
		now := k.play.Now()
		if !slices.Contains(now.Legal(nil), engine.Action(r.Action)) || now.String() != r.Position {
			return fmt.Errorf("shard %s is damaged: game %d is not one game after its action %d", path, k.listed.Number, r.Ply)
		}
		k.play.Play(engine.Action(r.Action))
	}
	return nil
}

func (s *Server) getGame(w http.ResponseWriter, r *http.Request) {
	run, k := s.request(w, r)
	if k == nil {
		return
	}
	g := Game{Listed: k.listed, Run: run.id, Game: k.entry.Name, Positions: k.play.Show(), Searches: []Opinion{}}
	for i := range g.Positions {
		g.Positions[i].Legal = []string{}
	}
	for i, row := range k.rows {
		g.Searches = append(g.Searches, keptSearch(k.play.Positions[i], row))
	}
	answer(w, g)
}

// keptSearch is what a row keeps of the search of its position.
func keptSearch(p engine.Position, row data.Row) Opinion {
	o := Opinion{Value: row.Value, Policy: []Weight{}}
	for _, w := range row.Policy {
		o.Policy = append(o.Policy, Weight{p.ActionString(engine.Action(w.Action)), w.Weight})
	}
	return o.sorted()
}

// opinion is a thought in brief: its policy is the search's, or the priors.
func opinion(t analysis.Thought, priors bool) Opinion {
	o := Opinion{Value: t.Value, Policy: []Weight{}}
	for _, m := range t.Moves {
		w := Weight{m.Move, m.Policy}
		if priors {
			w.Weight = m.Prior
		}
		if w.Weight > 0 {
			o.Policy = append(o.Policy, w)
		}
	}
	return o.sorted()
}

// sorted puts the largest weight first.
func (o Opinion) sorted() Opinion {
	slices.SortStableFunc(o.Policy, func(x, y Weight) int { return cmp.Compare(y.Weight, x.Weight) })
	return o
}

func (s *Server) postThoughts(w http.ResponseWriter, r *http.Request) {
	release, ok := s.take()
	if !ok {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, errBusy)
		return
	}
	defer release()
	run, k := s.request(w, r)
	if k == nil {
		return
	}
	s.mu.Lock()
	simulations := run.frozen.Config.Gate.Simulations
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), MaxTime)
	defer cancel()
	_ = s.client(w).rc.SetWriteDeadline(time.Now().Add(MaxTime + s.writeTimeout)) // a recorder in tests has none
	t, err := s.thoughts(ctx, k, run.folder, simulations)
	if err != nil {
		fail(w, http.StatusConflict, err)
		return
	}
	answer(w, t)
}

// thoughts computes what the models that played the game think of its positions, all
// positions side by side.
func (s *Server) thoughts(ctx context.Context, k *kept, f run.Folder, simulations int) (*Thoughts, error) {
	var players [2]*desk
	for i, name := range []string{k.listed.First, k.listed.Second} {
		c, err := k.player(f, name)
		if err != nil {
			return nil, err
		}
		d, leave, err := s.sit(c, k.entry)
		if err != nil {
			return nil, err
		}
		defer leave()
		players[i] = d
	}
	var networks, searches []*analysis.Running
	defer func() {
		for _, r := range slices.Concat(networks, searches) {
			r.Cancel() // which does nothing if it has ended
		}
	}()
	for _, p := range k.play.Positions[:len(k.play.Actions)] {
		d := players[p.ToMove()]
		networks = append(networks, d.Begin(p, think.Budget{Visits: 1}, patient)) // evaluates the root and nothing else
		if k.listed.Source == gateSource {
			searches = append(searches, d.Begin(p, think.Budget{Visits: simulations}, patient))
		}
	}
	t := &Thoughts{}
	var err error
	if t.Networks, err = opinions(ctx, networks, true); err != nil {
		return nil, err
	}
	t.Searches, err = opinions(ctx, searches, false)
	return t, err
}

// opinions are what searches have found; see opinion.
func opinions(ctx context.Context, searches []*analysis.Running, priors bool) ([]Opinion, error) {
	all := []Opinion{}
	for _, r := range searches {
		select {
		case <-r.Done():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := r.Err(); err != nil {
			return nil, err
		}
		all = append(all, opinion(r.Thought(), priors))
	}
	return all, nil
}

// player is the named model of a run; nil if the name is that of no model.
func (k *kept) player(f run.Folder, name string) (*model.Checkpoint, error) {
	if name == model.NoModel {
		return nil, nil
	}
	return model.Load(f.Model(name))
}
