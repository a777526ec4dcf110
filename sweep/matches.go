package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"slices"

	"dojo.example/arena"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// Match is a line of matches.jsonl: a match with its result from A's side.
type Match struct {
	pairing
	Wins   int     `json:"wins"`
	Losses int     `json:"losses"`
	Draws  int     `json:"draws"`
	Score  float64 `json:"score"` // A's share of the points, repeated games counted once
	Elo    float64 `json:"elo"`

	// Repeats is the number of games that were the same as an earlier one of the match.
	Repeats int `json:"repeats,omitempty"`
}

// distinct returns the number of games that differ, those on which Score rests.
func (m Match) distinct() float64 { return float64(m.Games - m.Repeats) }

// pairing is who plays whom, and how. It tells matches apart: one that has been played
// is not played again.
type pairing struct {
	A     side `json:"a"`
	B     side `json:"b"`
	Games int  `json:"games"` // played
}

// side is a player of a match: a model of a run, or a reference of another kind.
type side struct {
	Player      string `json:"player"`                // such as sparse/1, or mcts:1000
	Model       string `json:"model,omitempty"`       // its hash
	Simulations int    `json:"simulations,omitempty"` // of a model
}

// matches are the results in a sweep's folder.
type matches struct {
	path   string
	played map[pairing]Match
	lines  bytes.Buffer // of the file
}

// maxMatches is the most bytes that the file of the results may have.
const maxMatches = 1 << 28

func readMatches(path string) (*matches, error) {
	m := &matches{path: path, played: map[pairing]Match{}}
	text, err := regular.Read(path, maxMatches)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var x Match
		if err := bounded.Unmarshal(line, &x); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		m.played[x.pairing] = x
	}
	m.lines.Write(text)
	return m, nil
}

// add keeps the result of a match.
func (m *matches) add(x Match) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	m.lines.Write(append(text, '\n'))
	m.played[x.pairing] = x
	return atomicfile.WriteBytes(m.path, m.lines.Bytes())
}

// playAll plays the matches that are missing.
func (s *Sweep) playAll(ctx context.Context) (err error) {
	if s.matches, err = readMatches(filepath.Join(s.opt.Dir, "matches.jsonl")); err != nil {
		return err
	}
	wanted, err := s.wanted()
	if err != nil {
		return err
	}
	var missing []pairing
	for _, p := range wanted {
		if _, ok := s.matches.played[p]; !ok && !slices.Contains(missing, p) {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	progress := s.opt.Progress("matches", len(missing))
	for i, p := range missing {
		if err := s.play(ctx, p); err != nil {
			return fmt.Errorf("match of %s against %s: %w", p.A.Player, p.B.Player, err)
		}
		progress(i + 1)
	}
	return nil
}

// play plays a match and keeps its result.
func (s *Sweep) play(ctx context.Context, p pairing) error {
	seed := fnv.New64a()
	fmt.Fprint(seed, p)
	match := arena.Options{
		Game: s.env.Game.Game, Games: p.Games, Seed: seed.Sum64(), OpeningPlies: s.arms[0].config.Gate.OpeningPlies,
		Workers: s.opt.Workers, Source: s.opt.Source,
	}
	var err error
	if match.A, err = arena.Parse(s.playerName(p.A), s.env); err != nil {
		return err
	}
	if match.B, err = arena.Parse(s.playerName(p.B), s.env); err != nil {
		return err
	}
	r, err := arena.Match(ctx, match)
	if err != nil {
		return err
	}
	elo, _, _ := r.Elo()
	return s.matches.add(Match{pairing: p, Wins: r.Wins, Losses: r.Losses, Draws: r.Draws, Score: r.Score(), Elo: elo, Repeats: r.Repeats})
}

// playerName names the player of a match as arena.Parse takes it.
func (s *Sweep) playerName(x side) string {
	name := x.Player
	if path, ok := s.paths[x.Player]; ok {
		name = path
	}
	if x.Simulations > 0 {
		name = fmt.Sprintf("%s:%d", name, x.Simulations)
	}
	return name
}

// wanted lists the matches of the sweep.
func (s *Sweep) wanted() ([]pairing, error) {
	all, err := s.finals()
	if err != nil {
		return nil, err
	}
	for _, a := range s.arms {
		for seed := 1; seed <= s.opt.File.Seeds; seed++ {
			curve, err := s.curve(a, seed)
			if err != nil {
				return nil, err
			}
			for _, p := range curve {
				if p.A != p.B {
					all = append(all, p.pairing)
				}
			}
		}
	}
	return all, nil
}

// finals lists the matches of final models: for each two runs that meet, one at equal
// simulations, then one at equal time.
func (s *Sweep) finals() (all []pairing, err error) {
	for _, m := range s.meetings() {
		p, err := s.meet(m[0], m[1])
		if err != nil {
			return nil, err
		}
		all = append(all, p[0], p[1])
	}
	return all, nil
}

// entrant is a run that meets others.
type entrant struct {
	arm
	seed int
}

// meetings lists the runs that meet: each run meets all runs of the other arms, and those of
// a single arm each other.
func (s *Sweep) meetings() (all [][2]entrant) {
	n := s.opt.File.Seeds
	for i, a := range s.arms {
		for _, b := range s.arms[:i] {
			for seed := 1; seed <= n; seed++ {
				for other := 1; other <= n; other++ {
					all = append(all, [2]entrant{{a, seed}, {b, other}})
				}
			}
		}
	}
	if len(s.arms) == 1 {
		for seed := range n {
			for other := range seed {
				all = append(all, [2]entrant{{s.arms[0], seed + 1}, {s.arms[0], other + 1}})
			}
		}
	}
	return all
}

// meet returns the matches of the final models of two runs, at equal simulations and at
// equal time.
func (s *Sweep) meet(a, b entrant) (matches [2]pairing, err error) {
	equal := pairing{Games: s.opt.File.perMeeting(s.opt.File.Games)}
	if equal.A, err = s.final(a.arm, a.seed); err != nil {
		return matches, err
	}
	if equal.B, err = s.final(b.arm, b.seed); err != nil {
		return matches, err
	}
	timed := equal
	timed.Games = s.opt.File.perMeeting(s.opt.File.TimedGames)
	equal.A.Simulations, equal.B.Simulations = s.opt.File.Simulations, s.opt.File.Simulations
	timed.A.Simulations, timed.B.Simulations = s.timed(a.arm), s.timed(b.arm)
	return [2]pairing{equal, timed}, nil
}

// timed is the number of simulations that an arm's models have time for in a move.
func (s *Sweep) timed(a arm) int { return a.planned.Costs.simulations(s.opt.File.MoveTime) }
