package graph

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A tape is a graph as a list of operations, in which each operation comes after those whose
// results it reads. run computes them on the goroutine that calls run.
//
// Gorgonia's own tape machine starts a goroutine for each run and binds the waiting goroutine to a
// thread. With a replica on each core, these threads wake each other on the same core. That core
// then computes two parts while another core idles.
type tape struct {
	steps  []tapeStep
	values []gorgonia.Value // value of each node: an input, or the result of the last run
}

// A tapeStep computes the value of one node from the values of others.
type tapeStep struct {
	op   gorgonia.Op
	from []int // indices of the inputs in tape.values
	to   int
	in   []gorgonia.Value // scratch memory for the inputs
}

// newTape lists the operations of a graph. The nodes without an operation must have values.
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
		do, takes := s.op.(gorgonia.UsePreallocDoer) // this package's operations manage their own memory
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
