package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/console"
	"dojo.example/play/terminal"
	"dojo.example/train"
)

// An Evaluation measures the strength of a model or another player.
type Evaluation struct {
	arena.Options                            // options of all matches
	Remarks       io.Writer                  // receives progress and remarks as text
	Each          func(console.Report) error // is called with each result as soon as it is known
	Entry         games.Entry
	Simulations   int    // number of simulations for models whose names specify none
	File          string // path of the match log; "" keeps the log in memory
}

// Parse returns the named player; see [arena.Parse].
func (e *Evaluation) Parse(player string) (arena.Contestant, error) {
	return arena.Parse(player, box.Env(e.Entry, e.Simulations, nil))
}

// Usual is the default set of opponents, as lists of increasing strength. A player plays the next
// opponent in a list only after clearly beating the previous one.
var Usual = [][]string{{"random"}, {"greedy"}, {"mcts:1000", "mcts:10000", "mcts:100000"}, {"alphabeta:3", "alphabeta:5", "alphabeta@20000n", "alphabeta@200000n"}}

// clearly is the score from which a result against an opponent counts as a clear win.
const clearly = 0.9

// Opponents plays a player against the opponents in against, which has lists as in [Usual], and
// reports each result. If File is set, it also reports the ladder: the ratings of all players in
// the file.
func (e *Evaluation) Opponents(ctx context.Context, player arena.Contestant, against [][]string) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	lists := make([][]arena.Contestant, len(against))
	for i, list := range against { // check all players before the first game
		for _, text := range list {
			c, err := e.Parse(text)
			if err != nil {
				return err
			}
			if e.File != "" && c.Same(player) {
				fmt.Fprintf(e.Remarks, "leaving out %s: it is the same player as %s, and a ladder cannot rate a player against itself\n", c.Player, player.Player)
				continue
			}
			match := e.Options
			match.A, match.B = player, c
			if err := match.CheckMemory(); err != nil {
				return err
			}
			lists[i] = append(lists[i], c)
		}
	}
	header := fmt.Sprintf("%s, model %s\n%s\n", e.Game.Name, player.Player, terminal.ResultHeader("against"))
	if err := e.Each(console.Report{Text: header}); err != nil {
		return err
	}
	for _, list := range lists {
		if err := e.climb(ctx, player, list); err != nil {
			return err
		}
	}
	if e.File == "" {
		return nil
	}
	return cmp.Or(e.Each(console.Report{Text: "\n"}), e.ladder())
}

// climb plays a player against the opponents in a list, in order, until the player fails to beat
// one clearly.
func (e *Evaluation) climb(ctx context.Context, player arena.Contestant, list []arena.Contestant) error {
	for _, other := range list {
		match, result, stopped := e.meet(ctx, player, other)
		if stopped != nil && ctx.Err() == nil {
			return stopped
		}
		err := e.Each(console.Report{
			Text:  fmt.Sprintln(terminal.ResultLine(other.Player, result)),
			Lines: []any{summary(match, result, stopped != nil)},
		})
		if err = cmp.Or(err, stopped); err != nil || result.Score() < clearly {
			return err
		}
	}
	return nil
}

// meet plays the games between two players that the match log does not have yet.
func (e *Evaluation) meet(ctx context.Context, a, b arena.Contestant) (match arena.Options, r arena.Result, err error) {
	match = e.Options
	match.A, match.B = a, b
	r, err = Match(ctx, e.Remarks, match)
	return match, r, err
}

// Generations chooses count of the run's models, evenly spaced over its generations. It plays each
// of them against the previous one and against the first one, and reports the ratings of these
// models (the ladder).
func (e *Evaluation) Generations(ctx context.Context, folder rundir.Folder, count int) error {
	names, err := spaced(folder, count)
	if err != nil {
		return err
	}
	if err := e.begin(ctx); err != nil {
		return err
	}
	players := make([]arena.Contestant, len(names))
	for i, name := range names {
		if players[i], err = e.Parse(folder.Model(name)); err != nil {
			return err
		}
	}
	for i := range players[1:] {
		for _, other := range []int{i, 0}[:min(i+1, 2)] {
			if _, _, err := e.meet(ctx, players[i+1], players[other]); err != nil {
				return err
			}
		}
	}
	return e.ladder()
}

// spaced returns the names of count of the run's models, evenly spaced from the first to the last
// generation. If the run has fewer than count models, it returns all.
func spaced(folder rundir.Folder, count int) (names []string, err error) {
	generations, err := train.ReadMetrics(folder)
	if err != nil {
		return nil, err
	}
	n := len(generations)
	if n < 2 {
		return nil, fmt.Errorf("run %s has %d complete generations; a comparison needs at least two", folder, n)
	}
	count = min(count, n)
	for i := range count {
		names = append(names, rundir.ModelName(generations[i*(n-1)/(count-1)].Generation))
	}
	return names, nil
}

// SetGame sets the game by its name.
func (e *Evaluation) SetGame(name string) (err error) {
	e.Entry, err = games.ByName(name)
	e.Game = e.Entry.Game.Game
	return err
}

// begin opens the match log and determines the length of the openings.
func (e *Evaluation) begin(ctx context.Context) (err error) {
	if e.Log, err = OpenLog(e.Game.Name, e.File); err != nil {
		return err
	}
	return ChooseOpenings(ctx, e.Remarks, &e.Options)
}

// ShowLog reports the ratings of the players in File (the ladder), without playing any game.
func (e *Evaluation) ShowLog() (err error) {
	if e.Log, err = arena.ReadMatchLog(e.File); err != nil {
		return err
	}
	if err := e.SetGame(e.Log.Game); err != nil {
		return fmt.Errorf("ladder: %s: %w", e.File, err)
	}
	return e.ladder()
}

// ladder reports the ratings of all players in the log. Two players are rated in the same group
// only if a chain of games connects them.
func (e *Evaluation) ladder() error {
	const nameWidth = 31
	var r console.Report
	var table console.Table
	rungs := e.Log.Rungs()
	for i, x := range rungs {
		r.Lines = append(r.Lines, x)
		if i == 0 || x.Group != rungs[i-1].Group {
			if i > 0 {
				r.Text += fmt.Sprintf("%s\n\nno games connect the following players with those above:\n", table)
			}
			table = console.NewTable("player", "games", "score", "Elo", "model")
		}
		table.Row(console.Ending(x.Player, nameWidth), fmt.Sprintf("%.0f", x.Games), console.Percent(x.Score), console.Elo(x.Elo, x.EloLow, x.EloHigh), x.Model[:min(8, len(x.Model))])
	}
	if len(rungs) > 0 {
		r.Text += fmt.Sprintln(table)
	}
	return e.Each(r)
}
