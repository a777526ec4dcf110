package model

import (
	"testing"

	"dojo.example/engine"
)

// The steps of a Net use the right buffers: each step reads the result of the layer From and adds
// the result of the layer Add. This is true even if a result is added twice, read late, or only
// added and never read.
func TestBuffersHoldWhatIsRead(t *testing.T) {
	a := Architecture{Planes: engine.Shape{C: 4, H: 2, W: 2}}
	wide := func(name, from, add string) {
		a.add(Layer{Name: name, From: from, Add: add, K: 3, ReLU: true, Int8: true}, 16, nil)
	}
	wide("a", "", "")
	wide("b", "a", "")
	wide("c", "b", "a")
	wide("d", "c", "a")
	wide("e", "d", "d")
	wide("f", "b", "e")
	a.add(Layer{Name: "late", Kind: Dense, From: "a"}, 32, nil)
	a.add(Layer{Name: "policy", Kind: Dense, From: "f"}, 5, nil)
	a.add(Layer{Name: "value", Kind: Dense, From: "late"}, 1, nil)
	a.Heads = []Head{
		{Name: "policy", From: "policy"},
		{Name: "value", From: "value", Kind: Win},
	}
	for _, int8 := range []bool{false, true} {
		p := &Net{int8: int8}
		p.plan(a)
		floats, bytes := map[int]string{none: ""}, map[int]string{none: ""}
		for _, s := range p.steps {
			read := floats[s.src]
			if s.src8 != none {
				read = bytes[s.src8]
			}
			if read != s.From || floats[s.add] != s.Add {
				t.Errorf("8 bits %v: %s reads %q and adds %q, want %q and %q", int8, s.Name, read, floats[s.add], s.From, s.Add)
			}
			if s.src != none && s.src == s.dst {
				t.Errorf("8 bits %v: %s writes what it reads", int8, s.Name)
			}
			if s.dst != none {
				floats[s.dst] = s.Name
			}
			if s.dst8 != none {
				bytes[s.dst8] = s.Name
			}
		}
		if floats[logitsBuffer] != "policy" || floats[valuesBuffer] != "value" {
			t.Errorf("8 bits %v: buffers hold %v", int8, floats)
		}
	}
}
