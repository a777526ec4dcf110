package arena

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/internal/memory"
	"dojo.example/internal/parallel"
)

// Problem is a position of known value in which some actions keep that value and others lose it.
type Problem struct {
	Position engine.Position
	Keep     map[engine.Action]bool // actions that keep the value
	// Value is the result of best play for the player to move: 'W', 'D', 'L', or 'H' for a draw or
	// a win.
	Value byte
	Plies int // shortest known win in plies; 0 if unknown
}

// A ProblemSet has the positions of a file of solved positions.
type ProblemSet struct {
	Problems []Problem
	Even     int // positions in which every action keeps the value
	Unknown  int // positions in which the value of an action is unknown
}

// Skipped returns the number of positions that are not problems.
func (s *ProblemSet) Skipped() int { return s.Even + s.Unknown }

// A Judge returns the actions that keep the result of a position, which is 1 if the player to move
// wins, -1 if the player loses, and 0 for a draw.
type Judge func(p engine.Position, result int) ([]engine.Action, error)

// ReadProblems reads solved positions of a game. Each line of the file is a JSON object with a
// position and the outcome of every legal action:
//
//	{"pos":"…","moves":{"6 C1C2":"W5","6 D1D2":"L","3 A1A2":"D","9 E1E2":"?"}}
//
// The outcome of an action is the result of best play after it, for the player to move in the
// position: a win (W), a draw (D) or a loss (L). If the number of plies to the end of the game is
// known, it follows the letter. H means that the action wins or draws, but it is not known which.
// If a position has an H, all of its actions that do not lose count as keeping the value. A
// position cannot distinguish good play from bad play if all of its actions keep the value or if an
// outcome is unknown (?). ReadProblems only counts these positions.
//
// If the file does not begin with a brace, its lines have words; see readWords. Lines without the
// actions that keep the result need judge, which may be nil otherwise.
//
// r provides the content of the file called name. The content is compressed if the name ends in
// .gz. ReadProblems reads it line by line and stops when ctx ends.
func ReadProblems(ctx context.Context, game engine.Game, name string, r io.Reader, judge Judge) (set ProblemSet, err error) {
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return set, fmt.Errorf("solved positions: %s: %w", name, err)
		}
	}
	lines, n := bufio.NewScanner(bounded.Lines(r)), 1
	lines.Buffer(nil, 2*bounded.Line)
	read := readProblem
	for ; lines.Scan() && lines.Err() == nil && ctx.Err() == nil; n++ {
		if line := lines.Bytes(); n == 1 && len(line) > 0 && ('0' <= line[0] && line[0] <= '9' || 'a' <= line[0] && line[0] <= 'z') {
			read = wordReader(judge)
		}
		p, kind, err := read(game, lines.Bytes())
		switch {
		case err != nil:
			return set, fmt.Errorf("solved positions: %s line %d: %w", name, n, err)
		case len(set.Problems) == maxProblems:
			return set, fmt.Errorf("solved positions: %s has more than %d positions", name, maxProblems)
		case kind == unknown:
			set.Unknown++
		case kind == even:
			set.Even++
		default:
			set.Problems = append(set.Problems, p)
		}
	}
	if err := cmp.Or(ctx.Err(), lines.Err()); err != nil {
		return set, fmt.Errorf("solved positions: %s line %d: %w", name, n, err)
	}
	if len(set.Problems) == 0 {
		return set, fmt.Errorf("solved positions: %s has no position in which the choice matters: some actions must keep the value and others lose it", name)
	}
	return set, nil
}

// A kind says whether a solved position is a problem.
type kind int

const (
	matters kind = iota // some actions keep the value and others do not
	even                // every action keeps the value
	unknown             // the value of an action is unknown
)

// maxProblems is the largest number of positions that ReadProblems accepts.
const maxProblems = 1_000_000

// readProblem reads a line in JSON.
func readProblem(game engine.Game, line []byte) (p Problem, k kind, err error) {
	var solved struct {
		Pos   string
		Moves map[string]string
	}
	if err := bounded.Unmarshal(line, &solved); err != nil {
		return p, unknown, fmt.Errorf("the line is not a solved position in JSON: %w", err)
	}
	if p.Position, err = game.Parse(solved.Pos); err != nil {
		return p, unknown, err
	}
	values, held := map[engine.Action]solvedValue{}, false
	for name, text := range solved.Moves {
		action, err := engine.ParseAction(p.Position, name)
		if err != nil {
			return p, unknown, err
		}
		if text == "?" {
			return p, unknown, nil
		}
		held = held || text == holds
		if values[action], err = parseValue(text); err != nil {
			return p, unknown, fmt.Errorf("%q: %w", name, err)
		}
	}
	if want := len(p.Position.Legal(nil)); len(values) != want || want == 0 {
		return p, unknown, fmt.Errorf("it has values for %d of the %d legal actions; all of them need one", len(values), want)
	}
	if held {
		for a, v := range values {
			values[a] = solvedValue{rank: min(v.rank, 1)}
		}
	}
	k = p.judge(values)
	if held {
		p.Value = holds[0]
	}
	return p, k, nil
}

// A solvedValue is the value of an action for the player to move. rank is the index of its letter
// in valueOrder. plies is the number of plies to the end of the game, or 0 if it is unknown.
type solvedValue struct{ rank, plies int }

const valueOrder = "LDW"

// holds is the outcome of an action that either draws or wins.
const holds = "H"

func parseValue(text string) (v solvedValue, err error) {
	if text == holds {
		return solvedValue{rank: 1}, nil
	}
	v.rank = strings.Index(valueOrder, text[:min(1, len(text))])
	if text == "" || v.rank < 0 {
		return v, fmt.Errorf("the value %q is not W, D, L, H or ?", text)
	}
	if digits := text[1:]; digits != "" {
		if v.plies, err = strconv.Atoi(digits); err != nil || v.plies < 1 || valueOrder[v.rank] == 'D' {
			return v, fmt.Errorf("the value %q is not W or L followed by a number of plies", text)
		}
	}
	return v, nil
}

// judge sets Keep, Value and Plies from the values of all actions. It returns whether the choice of
// the action matters.
func (p *Problem) judge(values map[engine.Action]solvedValue) kind {
	best, lowest := 0, len(valueOrder)
	for _, v := range values {
		best, lowest = max(best, v.rank), min(lowest, v.rank)
	}
	p.Keep, p.Value = map[engine.Action]bool{}, valueOrder[best]
	for action, v := range values {
		p.Keep[action] = v.rank == best
		if p.Value == 'W' && p.Keep[action] && v.plies > 0 && (p.Plies == 0 || v.plies < p.Plies) {
			p.Plies = v.plies
		}
	}
	if lowest == best {
		return even
	}
	return matters
}

// Answer asks a player to choose an action in each problem. Several workers ask at the same time.
// Each problem is a separate game, so the answers do not depend on the number of workers. kept[i]
// reports whether the chosen action keeps the value of problems[i]. Answer calls progress after
// each problem.
func Answer(ctx context.Context, problems []Problem, player Contestant, workers int, progress func(done int)) (kept []bool, err error) {
	if workers, err = memory.Workers(workers, player.Bytes, "%s", player.Player); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept = make([]bool, len(problems))
	var next atomic.Int64 // index of the next problem to ask
	var mu sync.Mutex
	// done is the number of problems answered. mu guards it, and also ensures that calls of
	// progress do not overlap.
	done := 0
	parallel.For(workers, workers, func(int) {
		asked := player.Make()
		defer Release(asked)
		for i := next.Add(1) - 1; i < int64(len(problems)) && ctx.Err() == nil; i = next.Add(1) - 1 {
			asked.NewGame(1)
			action, err := asked.Choose(ctx, problems[i].Position)
			if err != nil {
				cancel(fmt.Errorf("position %q: %w", problems[i].Position, err))
				return
			}
			kept[i] = problems[i].Keep[action]
			mu.Lock()
			done++
			progress(done)
			mu.Unlock()
		}
	})
	return kept, context.Cause(ctx)
}

// Tally counts in how many solved positions a player's action was right. Scripts read its JSON
// form, so the keys must not change.
type Tally struct {
	Positions int     `json:"positions"`
	Kept      int     `json:"kept"`   // positions in which the player's action keeps the value
	Share     float64 `json:"share"`  // Kept / Positions
	Wins      int     `json:"wins"`   // positions that the player to move wins by best play
	Thrown    int     `json:"thrown"` // won positions in which the player's action gives the win away
}

// A PliesTally is the tally of one class of positions. Plies names the class: a range of plies in
// which the player to move wins, such as "5-8", or "won" if the number of plies is unknown. The
// other classes are "won or draw" (it is unknown which), "draw" and "lost".
type PliesTally struct {
	Plies string `json:"plies"`
	Tally
}

func (t *Tally) add(p Problem, kept bool) {
	t.Positions++
	if kept {
		t.Kept++
	}
	if p.Value == 'W' {
		t.Wins++
		if !kept {
			t.Thrown++
		}
	}
	t.Share = float64(t.Kept) / float64(t.Positions)
}

// plyRanges lists the classes of PliesTally. plyBounds are the upper bounds of the first five. The
// last four are the values of positions without a number of plies.
var (
	plyBounds = []int{2, 4, 8, 16, 32}
	plyRanges = [...]string{"1-2", "3-4", "5-8", "9-16", "17-32", "33+", "won", "won or draw", "draw", "lost"}
)

// Count computes the tally of all answers and the tallies by range of plies, in ascending order.
// kept[i] reports whether the player kept the value of problems[i].
func Count(problems []Problem, kept []bool) (total Tally, byPlies []PliesTally) {
	var of [len(plyRanges)]Tally
	for i, p := range problems {
		group, _ := slices.BinarySearch(plyBounds, p.Plies)
		if p.Plies == 0 {
			group = len(plyBounds) + 1 + strings.IndexByte("WHDL", p.Value)
		}
		total.add(p, kept[i])
		of[group].add(p, kept[i])
	}
	for group, t := range of {
		if t.Positions > 0 {
			byPlies = append(byPlies, PliesTally{plyRanges[group], t})
		}
	}
	return total, byPlies
}
