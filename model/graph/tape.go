package graph

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A tape is a graph as a list of operations, each behind those whose results it reads.
// run computes them on the goroutine that calls it.
//
// Gorgonia's tape machine starts a goroutine for each run, and binds the one that waits
// for it to a thread. With a replica on each core these threads wake each other onto the
// same core, which then computes two parts while the other idles.
type tape struct {
	steps  []tapeStep
	values []gorgonia.Value // of each node: what was given, or the result of the last run
}

// A tapeStep computes the value of a node from those of others.
type tapeStep struct {
	op   gorgonia.Op
	from []int // its inputs, as indices of tape.values
	to   int
	in   []gorgonia.Value // memory for its inputs
}

// newTape lists the operations of a graph. Its other nodes must have values.
func newTape(g *gorgonia.ExprGraph) (*tape, error) {
	nodes, err := gorgonia.Sort(g) // each before the nodes that it reads
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
		do, takes := s.op.(gorgonia.UsePreallocDoer) // this package's operations keep their memory themselves
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
