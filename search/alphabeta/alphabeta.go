// Package alphabeta implements classical game-tree search: iterative deepening, principal variation
// search with late-move reductions, and a transposition table. If the game says which actions are
// loud (captures, for example), it adds a quiescence search. The package reads no clock and draws
// no random numbers, so a search with the same node limit always plays the same action.
//
// Values inside the search are from the view of the player to move, in the units of
// [engine.StaticEvaluator]. The values in a [Result] and static evaluations are from First's view.
// A player may move several times in a row. A forced win is worth Win minus the number of plies
// from the root to the end of the game.
package alphabeta

import "dojo.example/engine"

// Win is larger than any evaluation.
const Win = 1 << 20

const (
	mostDepth = 100         // maximum depth of the full-width search, in plies
	mostLoud  = 12          // maximum depth of the quiescence search, in plies
	slots     = 1 << 19     // number of entries in the transposition table, 8 MiB
	decided   = Win - 1<<12 // values above this one are forced wins
	window    = 50          // half the width of the first aspiration window
	askEvery  = 1 << 9      // positions (0.1 to 1 ms of work) between two calls of Limit.Stop
	infinity  = 2 * Win     // larger than any value
	unit      = 100         // evaluation of one piece or one point
	quietest  = unit / 2    // an action is quiet if it changes the evaluation by less than this
)

// Limit determines when a search ends. A field that is 0 sets no limit.
type Limit struct {
	Depth int // maximum depth in plies; 0: three times the length of the game, at most 100
	Nodes int // maximum number of positions generated; 0: no limit
	// Stop is called every few hundred positions. If it returns true, the search ends. It may be
	// nil.
	Stop func() bool
}

// Result is the result of a search.
type Result struct {
	Action engine.Action
	Value  int // value for First, from the deepest completed iteration
	Depth  int // depth of the last completed iteration
	Nodes  int // number of positions generated
}

// A Searcher searches positions of one game, one at a time.
type Searcher interface {
	// Reset discards everything that the Searcher remembers.
	Reset()

	// Search chooses an action in p, where the game must not be over. The Searcher remembers its
	// results and uses them for later positions of the same game.
	Search(p engine.Position, limit Limit) Result
}

// A searcher searches positions of one game. It implements [Searcher].
type searcher[S engine.State[S]] struct {
	spec   engine.Spec
	table  table
	levels []level[S] // indexed by ply
	buffer []engine.Action

	// The first index of history is the player to move, and the second is the action. An element
	// counts how often the action caused a cutoff, with more weight for cutoffs at larger depths.
	history [2][]int32

	// The fields below belong to the current search.
	limit   Limit
	nodes   int
	asked   int // value of the field nodes when Stop was last called
	stopped bool
	best    engine.Action // best action of the root
	found   bool          // whether the current iteration has set best
}

// A level holds the buffers for the positions at one distance from the root, in plies. Only the
// current path is stored.
type level[S any] struct {
	children []child[S]
	killers  [2]engine.Action // quiet actions that caused a cutoff at this ply, or noAction
}

// A child is the position after an action.
type child[S any] struct {
	state   S
	action  engine.Action
	static  int  // static evaluation for First; if over, the value of the outcome
	over    bool // whether the game is over
	promise int  // estimate for the mover; the search tries the largest first
}

// noAction means that there is no action.
const noAction = ^engine.Action(0)

// New returns a Searcher for positions of a game.
func New[S engine.State[S]](rules engine.Rules[S]) Searcher {
	s := &searcher[S]{spec: rules.Spec, levels: make([]level[S], mostDepth+mostLoud+2)}
	for i := range s.history {
		s.history[i] = make([]int32, rules.Actions)
	}
	s.Reset()
	return s
}

// Reset implements [Searcher].
func (s *searcher[S]) Reset() {
	s.table.reset()
	s.forget()
}

// forget clears the killers and the history. They help to order the actions of one position and are
// of little use in another position.
func (s *searcher[S]) forget() {
	for i := range s.levels {
		s.levels[i].killers = [2]engine.Action{noAction, noAction}
	}
	for _, h := range s.history {
		clear(h)
	}
}

// Search implements [Searcher].
func (s *searcher[S]) Search(p engine.Position, limit Limit) Result {
	root := p.State().(S)
	s.limit, s.nodes, s.asked, s.stopped = limit, 0, 0, false
	s.forget()
	s.table.generation++
	depths := mostDepth
	if plies := s.spec.MaxPlies; plies > 0 { // 0: the game has no ply limit
		// With late-move reductions, one action may use up three plies of depth.
		depths = min(depths, 3*plies)
	}
	if limit.Depth > 0 {
		depths = min(depths, limit.Depth)
	}
	legal := s.actions(&root, nil)
	r := Result{Action: legal[0]}
	if len(legal) == 1 {
		return r
	}
	value := 0
	for depth := 1; depth <= depths; depth++ {
		s.found = false
		next := s.iterate(&root, depth, value)
		if s.found {
			r.Action = s.best
		}
		if s.stopped {
			break
		}
		value, r.Value, r.Depth = next, next*int(root.ToMove().Sign()), depth
		if max(value, -value) > decided && max(value, -value) >= Win-depth {
			break // no deeper iteration can find a shorter win or loss
		}
	}
	r.Nodes = s.nodes
	return r
}

// iterate searches the root to the given depth and returns its value for the player to move. The
// search starts with a window around the value of the previous iteration (before). If the result
// lies outside the window, the search widens the window and starts again.
func (s *searcher[S]) iterate(root *S, depth, before int) (value int) {
	low, high := before-window, before+window
	if depth <= 2 {
		low, high = -infinity, infinity
	}
	for width := window; ; width *= 4 {
		value = s.value(root, engine.Estimate(root), node{depth, 0, low, high})
		switch {
		case s.stopped:
			return value
		case value <= low && low > -infinity:
			low = widened(value, -width)
		case value >= high && high < infinity:
			high = widened(value, width)
		default:
			return value
		}
	}
}

// widened returns value + by, a new bound of the window. It returns an infinite bound if by is more
// than 20 units or if the new bound would be a forced win or loss.
func widened(value, by int) int {
	switch to := value + by; {
	case by < 0 && (by < -20*unit || to < -decided):
		return -infinity
	case by > 0 && (by > 20*unit || to > decided):
		return infinity
	default:
		return to
	}
}

// actions appends to dst the actions of p that the search considers: all legal actions or, if the
// states implement engine.Selector, only the selected ones.
func (s *searcher[S]) actions(p *S, dst []engine.Action) []engine.Action {
	if few, ok := any(p).(engine.Selector); ok {
		return few.Select(dst)
	}
	return (*p).Legal(dst)
}
