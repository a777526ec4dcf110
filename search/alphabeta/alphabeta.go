// Package alphabeta is classical game-tree search: iterative deepening, principal
// variation search with late-move reductions, a transposition table, and a
// quiescence search where the game says which actions are loud. It reads no clock
// and draws no random numbers: with the same budget of nodes it always plays the same.
//
// Values are the mover's, in the units of [engine.StaticEvaluator]; those of a [Result] and
// static evaluations are First's. Turns may repeat. A win is worth Win less the plies from
// the root to it.
package alphabeta

import "dojo.example/engine"

// Win is more than any evaluation.
const Win = 1 << 20

const (
	mostDepth = 100         // plies of full width
	mostLoud  = 12          // plies of quiescence below them
	slots     = 1 << 19     // of the transposition table, 8 MiB
	decided   = Win - 1<<12 // values beyond are forced wins
	window    = 50          // first half-width of an aspiration window
	askEvery  = 1 << 9      // positions after which Limit.Stop is asked, 0.1 to 1 ms
	infinity  = 2 * Win     // no value is beyond
	unit      = 100         // of an evaluation: a man, a point
	quietest  = unit / 2    // actions that change less are quiet
)

// Limit ends a search. A field that is 0 sets no limit.
type Limit struct {
	Depth int         // plies; 0: as deep as the game is long, at most 100
	Nodes int         // positions made; 0: any number
	Stop  func() bool // asked every few hundred positions; nil: never
}

// Result is what a search found.
type Result struct {
	Action engine.Action
	Value  int // First's, of the deepest iteration that has one
	Depth  int // of the last iteration that ended
	Nodes  int // positions made
}

// A Searcher searches positions of one game, one at a time.
type Searcher interface {
	// Reset forgets all positions.
	Reset()

	// Search chooses an action in p, where the game is not over. It keeps what
	// it learns for later positions of the same game.
	Search(p engine.Position, limit Limit) Result
}

// A searcher searches positions of one game. It implements [Searcher].
type searcher[S engine.State[S]] struct {
	spec   engine.Spec
	table  table
	levels []level[S] // by ply
	buffer []engine.Action

	history [2][]int32 // by mover and action: how often, and how deep, it refuted

	// Of the search that runs.
	limit   Limit
	nodes   int
	asked   int // nodes when Stop was asked last
	stopped bool
	best    engine.Action // of the root
	found   bool          // the running iteration has set best
}

// A level is the memory of one ply of the path.
type level[S any] struct {
	children []child[S]
	killers  [2]engine.Action // quiet actions that refuted here; see noAction
}

// A child is a position after an action.
type child[S any] struct {
	state   S
	action  engine.Action
	static  int  // its evaluation, or the value of its outcome
	over    bool // the game is
	promise int  // estimate by which the mover orders the children, the largest first
}

// noAction stands for the absence of an action.
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

// forget drops what orders actions, which is of little use in another position.
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
	if plies := s.spec.MaxPlies; plies > 0 { // else games may never end
		depths = min(depths, 3*plies) // reductions take up to two plies of three
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
			break // nothing shorter is left to be found
		}
	}
	r.Nodes = s.nodes
	return r
}

// iterate searches the root to a depth, with a window around the value of the
// iteration before, which is widened where that fails.
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

// widened moves a bound away from value by the given amount. Beyond 20 units, or next to a
// forced win, it is infinite.
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

// actions appends the actions that the search looks at.
func (s *searcher[S]) actions(p *S, dst []engine.Action) []engine.Action {
	if few, ok := any(p).(engine.Selector); ok {
		return few.Select(dst)
	}
	return (*p).Legal(dst)
}
