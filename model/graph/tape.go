package graph

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A tape is a list of the operations in a graph, each after the operations whose results it reads.
// The method run computes all of them on the calling goroutine.
//
// We do not use Gorgonia's own tape machine, because it starts a goroutine for each run and binds
// the waiting goroutine to a thread. With a replica for each core, these threads would wake each
// other up on the same core, which would then compute two parts while another core is idle.
type tape struct {
	steps []tapeStep
	// The value of each node: an input of the graph, or the result from the last run.
	values []gorgonia.Value
}

// A tapeStep computes the value of one node from the values of other nodes.
type tapeStep struct {
	op   gorgonia.Op
	from []int // indices of the operation's inputs in tape.values
	to   int
	in   []gorgonia.Value // scratch memory for the inputs
}

// newTape returns the tape of a graph. Nodes that are not the result of an operation must already
// have values.
func newTape(g *gorgonia.ExprGraph) (*tape, error) {
	nodes, err := gorgonia.Sort(g) // Sort puts each node before the nodes that it reads
	if err != nil {
		return nil, err
	}
	slices.Reverse(nodes)
	t := &tape{values: make([]gorgonia.Value, len(nodes))}
	index := map[int64]int{}
	for i, n := range nodes {
		index[n.ID()] = i
		if n.Op() == nil || n.Op().Arity() == 0 {
			if t.values[i] = n.Value(); t.values[i] == nil {
				return nil, fmt.Errorf("%v has no value", n)
			}
			continue
		}
		s := tapeStep{op: n.Op(), to: i, in: make([]gorgonia.Value, n.Op().Arity())}
		for inputs := g.From(n.ID()); inputs.Next(); {
			s.from = append(s.from, index[inputs.Node().ID()])
		}
		t.steps = append(t.steps, s)
	}
	return t, nil
}

// run computes the values of all nodes.
func (t *tape) run() error {
	for _, s := range t.steps {
		for i, from := range s.from {
			s.in[i] = t.values[from]
		}
		var err error
		// Some of Gorgonia's own operations can write their result to memory that the caller
		// provides. Give them the memory of their previous result. The operations of this package
		// manage their memory themselves.
		do, takes := s.op.(gorgonia.UsePreallocDoer)
		if memory, ok := t.values[s.to].(*tensor.Dense); ok && takes {
			t.values[s.to], err = do.UsePreallocDo(memory, s.in...)
		} else {
			t.values[s.to], err = s.op.Do(s.in...)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", s.op, err)
		}
	}
	return nil
}
