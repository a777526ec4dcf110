// Package alphabeta implements classical game-tree search: iterative deepening, principal variation
// search with late-move reductions, and a transposition table. If the game says which actions are
// loud, it adds a quiescence search. The package reads no clock and draws no random numbers, so a
// search with the same limit of nodes always plays the same action.
//
// Values inside the search are the mover's, in the units of [engine.StaticEvaluator]. The values in
// a [Result] and static evaluations are First's. A player may move several times in a row. A forced
// win is worth Win minus the number of plies from the root to the end of the game.
package alphabeta

import "dojo.example/engine"

// Win is larger than any evaluation.
const Win = 1 << 20

const (
	mostDepth = 100         // largest depth of the full-width search, in plies
	mostLoud  = 12          // largest depth of the quiescence search, in plies
	slots     = 1 << 19     // number of entries in the transposition table, 8 MiB
	decided   = Win - 1<<12 // larger values are forced wins
	window    = 50          // first half-width of an aspiration window
	askEvery  = 1 << 9      // number of positions between two calls of Limit.Stop, 0.1 to 1 ms
	infinity  = 2 * Win     // larger than any value
	unit      = 100         // evaluation of one man or one point
	quietest  = unit / 2    // an action that changes the evaluation by less is quiet
)

// Limit says when a search ends. A field that is 0 sets no limit.
type Limit struct {
	Depth int         // largest depth in plies; 0: the length of the game, at most 100
	Nodes int         // largest number of positions generated; 0: no limit
	Stop  func() bool // called every few hundred positions, ends the search by returning true; may be nil
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
	// Reset makes the Searcher forget all positions.
	Reset()

	// Search chooses an action in p, where the game must not be over. The Searcher keeps what it
	// learns for later positions of the same game.
	Search(p engine.Position, limit Limit) Result
}

// A searcher searches positions of one game. It implements [Searcher].
type searcher[S engine.State[S]] struct {
	spec   engine.Spec
	table  table
	levels []level[S] // indexed by ply
	buffer []engine.Action

	history [2][]int32 // [mover][action]: how often the action caused a cutoff, weighted by depth

	// The fields below belong to the current search.
	limit   Limit
	nodes   int
	asked   int // value of nodes at the last call of Stop
	stopped bool
	best    engine.Action // best action of the root
	found   bool          // the current iteration has set best
}

// A level is the memory for one ply of the current path.
type level[S any] struct {
	children []child[S]
	killers  [2]engine.Action // quiet actions that caused a cutoff at this ply, or noAction
}

// A child is the position after an action.
type child[S any] struct {
	state   S
	action  engine.Action
	static  int  // static evaluation for First, or the value of the outcome
	over    bool // the game is over
	promise int  // estimate for the mover; the search tries the child with the largest one first
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

// forget clears the killers and the history. They order the actions of one position and are of
// little use in another.
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
	if plies := s.spec.MaxPlies; plies > 0 { // otherwise a game may never end
		depths = min(depths, 3*plies) // with reductions, a ply may take up to three plies of depth
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

// iterate searches the root to the given depth and returns its value for the mover. before is the
// value from the iteration before. The search starts with a window around that value, and widens
// the window when the result lies outside.
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

// widened returns a new bound of the window at value + by. It returns an infinite bound if by is
// more than 20 units or if the new bound would be a forced win or loss.
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

// actions appends the actions of p that the search looks at to dst.
func (s *searcher[S]) actions(p *S, dst []engine.Action) []engine.Action {
	if few, ok := any(p).(engine.Selector); ok {
		return few.Select(dst)
	}
	return (*p).Legal(dst)
}
