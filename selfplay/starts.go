package selfplay

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"dojo/data"
	"dojo/engine"
)

// A Start is a position at which a game begins instead of a deal: one in which the search
// of an earlier game was surprised. It is a line of a list of starts.
type Start struct {
	Position string `json:"position"`
	Ply      int    `json:"ply"` // actions played before it, from the deal on

	// Regret is the distance of the value that the search had there from the outcome of
	// the game, |value − outcome|, from 0 to 2: above 1 it favoured who lost.
	Regret float64 `json:"regret"`
	Game   int64   `json:"game"` // in which it was played, by its number in the run

	position engine.Position
}

// Starts is a list of starts, the most surprising first. Nil stands for no list.
type Starts struct {
	File []byte // the list as a file: a line of JSON for each start
	hash string // SHA-256 of File
	list []Start
}

// Surprises returns the file of a list of up to n starts: of each game the position of
// the greatest regret, the first of them if there are several, and of these those of the n
// greatest regrets. Positions of regret 1 or less, where the search favoured nobody or who
// won, and deals are not listed, and no position is listed twice. Rows are those of whole
// games, in order.
//
// That games begin where regret is greatest, and not anywhere, is what makes them worth
// playing: Tsai et al. 2026, "Regret-Guided Search Control for Efficient Learning in
// AlphaZero".
func Surprises(rows []data.Row, n int) ([]byte, error) {
	var all []Start
	for _, r := range rows {
		s := Start{Position: r.Position, Ply: int(r.Ply), Game: r.Game}
		s.Regret = math.Abs(float64(r.Value) - float64(r.Outcome))
		switch last := len(all) - 1; {
		case s.Regret <= 1 || s.Ply == 0:
		case last < 0 || all[last].Game != s.Game:
			all = append(all, s)
		case s.Regret > all[last].Regret:
			all[last] = s
		}
	}
	slices.SortStableFunc(all, func(a, b Start) int { return cmp.Compare(b.Regret, a.Regret) })
	var file bytes.Buffer
	lines, listed := json.NewEncoder(&file), map[string]bool{}
	for _, s := range all {
		if len(listed) == n {
			break
		}
		if listed[s.Position] {
			continue
		}
		listed[s.Position] = true
		if err := lines.Encode(s); err != nil {
			return nil, err
		}
	}
	return file.Bytes(), nil
}

// ParseStarts reads the file of a list of starts.
func ParseStarts(game engine.Game, file []byte) (*Starts, error) {
	sum := sha256.Sum256(file)
	s := &Starts{File: file, hash: hex.EncodeToString(sum[:])}
	lines := json.NewDecoder(bytes.NewReader(file))
	lines.DisallowUnknownFields()
	for {
		var x Start
		err := lines.Decode(&x)
		if err == io.EOF {
			return s, nil
		}
		if err == nil {
			x.position, err = game.Parse(x.Position)
		}
		switch {
		case err != nil:
		case x.position.Outcome() != engine.Ongoing:
			err = fmt.Errorf("the game is over in %q", x.Position)
		case x.Ply < 0 || x.Ply > math.MaxInt32/2:
			err = fmt.Errorf("%q is at ply %d", x.Position, x.Ply)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(s.list)+1, err)
		}
		s.list = append(s.list, x)
	}
}

// Of returns where game i of a generation begins, if that is a start of the list; ok is
// false if the game is dealt. With a share of 0.25, games 3, 7, 11 and so on begin at the
// first start of the list, the second and so on, as long as there are some.
func (s *Starts) Of(i int, c Config) (start Start, ok bool) {
	k := c.restarts(i)
	if s == nil || c.restarts(i+1) == k || k >= len(s.list) {
		return start, false
	}
	return s.list[k], true
}

// ID is the list's hash, as shards have it in their provenance; "" if there is no list.
func (s *Starts) ID() string {
	if s == nil {
		return ""
	}
	return s.hash
}

// Check returns an error unless the games of rows, whole games of a generation, begin
// where they should.
func (s *Starts) Check(rows []data.Row, c Config) error {
	for i, r := range rows {
		if i > 0 && rows[i-1].Game == r.Game {
			continue
		}
		start, ok := s.Of(Number(r.Game), c)
		switch {
		case !ok && r.Ply != 0:
			return fmt.Errorf("game %d begins at ply %d; it should begin with a deal", r.Game, r.Ply)
		case ok && (r.Position != start.Position || int(r.Ply) != start.Ply):
			return fmt.Errorf("game %d begins at ply %d with %q; it should begin at ply %d with %q", r.Game, r.Ply, r.Position, start.Ply, start.Position)
		}
	}
	return nil
}
