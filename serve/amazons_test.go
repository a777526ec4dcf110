package serve

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/games"
	"dojo.example/model"
)

// amazons is the Game of the Amazons (Zamkauskas 1988) on a board of 6×6 cells, with four amazons
// for each player. The pages have no board made for this game: they draw a grid and build moves
// from the names of its actions. An amazon moves like a queen in chess. From its new cell it shoots
// an arrow. The arrow also moves like a queen, and blocks the cell where it lands. A player who
// cannot move has lost.
//
// The game begins with 544 legal actions. The name of an action consists of three cells: from, to
// and arrow, such as b1b4e4. In a set of cells, bit y*6+x is the cell in column x (0 is column a)
// and row y, counted from the mover's side.
type amazons struct {
	mine, theirs, arrows uint64
	mover                engine.Player
}

const (
	amazonsSide  = 6
	amazonsCells = amazonsSide * amazonsSide
)

var amazonsRules = engine.Rules[amazons]{
	Spec: engine.Spec{
		Name:     "amazons",
		Version:  1,
		Actions:  len(amazonShots),
		Planes:   engine.Shape{C: 3, H: amazonsSide, W: amazonsSide},
		MaxPlies: amazonsCells, // each action blocks one cell, so a game cannot be longer
	},
	Start: func(*rand.Rand) amazons {
		s, _ := parseAmazons(".x..x./x....x/....../....../o....o/.o..o. first")
		return s
	},
	Parse: parseAmazons,
	English: engine.About{
		Title: "Game of the Amazons",
		Text:  "Move an amazon as a queen moves in chess. From there it shoots an arrow, which closes a cell. Who cannot move has lost.",
	},
}

// amazonShots lists the cells of each action, ordered by from, then to, then arrow.
// firstAmazonShot[from][to] is the number of the first action with these two cells.
var (
	// queenWays[a][b] is the set of cells from a (excluded) to b (included), or 0 if a queen cannot
	// move from a to b.
	queenWays                    = makeQueenWays()
	amazonShots, firstAmazonShot = makeAmazonShots()
)

type amazonShot struct{ from, to, arrow int }

func makeQueenWays() (ways [amazonsCells][amazonsCells]uint64) {
	for from := range amazonsCells {
		for direction := range 9 {
			dx, dy, passed := direction%3-1, direction/3-1, uint64(0)
			for x, y := from%amazonsSide+dx, from/amazonsSide+dy; (dx != 0 || dy != 0) && min(x, y) >= 0 && max(x, y) < amazonsSide; x, y = x+dx, y+dy {
				passed |= 1 << (y*amazonsSide + x)
				ways[from][y*amazonsSide+x] = passed
			}
		}
	}
	return ways
}

func makeAmazonShots() (all []amazonShot, first [amazonsCells][amazonsCells]int) {
	for from := range amazonsCells {
		for to := range amazonsCells {
			first[from][to] = len(all)
			for arrow := range amazonsCells {
				if queenWays[from][to] != 0 && queenWays[to][arrow] != 0 {
					all = append(all, amazonShot{from, to, arrow})
				}
			}
		}
	}
	return all, first
}

func (s amazons) ToMove() engine.Player { return s.mover }

func (s amazons) Outcome() engine.Outcome {
	taken := s.mine | s.theirs | s.arrows
	for men := s.mine; men != 0; men &= men - 1 {
		for _, way := range queenWays[bits.TrailingZeros64(men)] {
			if way != 0 && way&taken == 0 {
				return engine.Ongoing
			}
		}
	}
	return engine.WonBy(1 - s.mover)
}

func (s amazons) Legal(dst []engine.Action) []engine.Action {
	taken := s.mine | s.theirs | s.arrows
	for men := s.mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros64(men)
		left := taken &^ (1 << from)
		for to, way := range queenWays[from] {
			if way == 0 || way&taken != 0 {
				continue
			}
			a := firstAmazonShot[from][to]
			for ; a < len(amazonShots) && amazonShots[a].from == from && amazonShots[a].to == to; a++ {
				if queenWays[to][amazonShots[a].arrow]&left == 0 {
					dst = append(dst, engine.Action(a))
				}
			}
		}
	}
	return dst
}

func (s amazons) Play(a engine.Action) amazons {
	shot := amazonShots[a]
	turned := func(set uint64) uint64 { return bits.Reverse64(set) >> (64 - amazonsCells) }
	return amazons{
		mine: turned(s.theirs), theirs: turned(s.mine ^ 1<<shot.from ^ 1<<shot.to),
		arrows: turned(s.arrows | 1<<shot.arrow), mover: 1 - s.mover,
	}
}

func (s amazons) Encode(planes []float32) {
	for i := range amazonsCells {
		for c, set := range [...]uint64{s.mine, s.theirs, s.arrows} {
			planes[3*i+c] = float32(set >> i & 1)
		}
	}
}

// seen converts a cell number of the mover to First's numbering, or back. Each player numbers the
// cells from their own side of the board.
func (s amazons) seen(cell int) int {
	if s.mover == engine.Second {
		return amazonsCells - 1 - cell
	}
	return cell
}

func (s amazons) ActionString(a engine.Action) (name string) {
	for _, cell := range [...]int{amazonShots[a].from, amazonShots[a].to, amazonShots[a].arrow} {
		cell = s.seen(cell)
		name += string([]byte{'a' + byte(cell%amazonsSide), '1' + byte(cell/amazonsSide)})
	}
	return name
}

// rows returns the rows of the board from the top: o is an amazon of the player First, x is an
// amazon of Second, and # is an arrow.
func (s amazons) rows() (rows []string) {
	marks := map[uint64]byte{0: '.', 1: 'o', 2: 'x', 4: '#'}
	if s.mover == engine.Second {
		marks[1], marks[2] = 'x', 'o'
	}
	for y := amazonsSide - 1; y >= 0; y-- {
		row := ""
		for x := range amazonsSide {
			cell := s.seen(y*amazonsSide + x)
			row += string(marks[s.mine>>cell&1|s.theirs>>cell&1<<1|s.arrows>>cell&1<<2])
		}
		rows = append(rows, row)
	}
	return rows
}

func (s amazons) String() string { return strings.Join(s.rows(), "/") + " " + s.mover.String() }

func parseAmazons(text string) (s amazons, err error) {
	board, mover, _ := strings.Cut(text, " ")
	rows := strings.Split(board, "/")
	if mover == "second" {
		s.mover = engine.Second
	} else if mover != "first" {
		return s, fmt.Errorf("amazons: %q says neither first nor second", text)
	}
	sets := map[byte]*uint64{'o': &s.mine, 'x': &s.theirs, '#': &s.arrows, '.': new(uint64)}
	if s.mover == engine.Second {
		sets['o'], sets['x'] = sets['x'], sets['o']
	}
	for y, row := range rows {
		if len(rows) != amazonsSide || len(row) != amazonsSide || strings.Trim(row, "ox#.") != "" {
			return s, fmt.Errorf("amazons: %q is not six rows of six cells o, x, # or a dot", text)
		}
		for x := range row {
			*sets[row[x]] |= 1 << s.seen((amazonsSide-1-y)*amazonsSide+x)
		}
	}
	if bits.OnesCount64(s.mine) != 4 || bits.OnesCount64(s.theirs) != 4 {
		return s, fmt.Errorf("amazons: in %q the sides have not four amazons each", text)
	}
	return s, nil
}

func (s amazons) Grid() engine.Grid {
	return engine.ChessGrid(s.rows(), map[byte]engine.Cell{'o': {Owner: "first", Piece: "♛"}, 'x': {Owner: "second", Piece: "♛"}, '#': {Piece: "wall"}})
}

func TestAmazons(t *testing.T) {
	enginetest.Run(t, amazonsRules)
	if n := len(amazonsRules.Start(nil).Legal(nil)); n != 544 {
		t.Errorf("Amazons begins with %d actions, want 544", n)
	}
}

// The pages get the title and the rules of a registered game. If a text is missing in the language
// of the pages, they get the English text.
func TestAmazonsRules(t *testing.T) {
	c := withAmazons(t)
	s := newServer(t, smallRun(t))
	s.models = append(s.models, s.inBox(c))
	const title = "Game of the Amazons"
	listed := 0
	for _, m := range get[[]Model](t, s, "/api/models", "") {
		if m.Game != c.Game {
			continue
		}
		if listed++; m.Title["en"] != title || m.Title["vi"] != title {
			t.Errorf("the titles are %v, want %q", m.Title, title)
		}
	}
	if listed != 1 {
		t.Errorf("%d models of the game are listed", listed)
	}
	for _, language := range []string{"en", "vi"} {
		text := get[string](t, s, "/api/rules", `{"game":"amazons","language":"`+language+`"}`)
		if !strings.HasPrefix(text, "# "+title+"\n\nMove an amazon") {
			t.Errorf("the rules in %q are %q", language, text)
		}
	}
}

// withAmazons registers Amazons until the test ends. It returns an untrained model of the game.
func withAmazons(t *testing.T) *model.Checkpoint {
	t.Helper()
	known := games.All
	games.Register(amazonsRules)
	t.Cleanup(func() { games.All = known })
	return untrained(amazonsRules.Game().Spec)
}

// untrained returns an untrained model of a game.
func untrained(spec engine.Spec) *model.Checkpoint {
	n := model.Network{Body: model.DefaultSparse()}
	return model.NewCheckpoint(model.Meta{Game: spec.Name, SpecVersion: spec.Version, Name: "untrained"}, n.For(spec), rand.New(rand.NewPCG(1, 1)))
}
