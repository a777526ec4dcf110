package enginetest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/internal/golden"
)

var trailing = regexp.MustCompile(`(?m) +$`)

// Golden compares a random game with the file testdata/golden/<game>-<seed>.txt, which
// has the text, drawing, planes, features and actions of every position. Review the file
// once after -update has written it.
func Golden[S engine.State[S]](t *testing.T, r engine.Rules[S], seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	planes, features := make([]float32, r.Planes.Size()), engine.FeatureInput(r.Planes, 0)
	var b strings.Builder
	for s := r.Start(rng); ; {
		fmt.Fprintln(&b, s)
		if d, ok := any(s).(engine.Drawer); ok {
			b.WriteString(d.Draw())
		}
		s.Encode(planes)
		b.WriteString(grids(planes, r.Planes))
		if r.Features > 0 {
			fmt.Fprintf(&b, "features: %s\n", byGroup(list(&features, engine.Forget(s), nil), r.FeatureGroups))
		}
		if s.Outcome() != engine.Ongoing {
			fmt.Fprintf(&b, "outcome %v\n", s.Outcome())
			break
		}
		legal := s.Legal(nil)
		for _, a := range legal {
			fmt.Fprintf(&b, "%d=%s; ", a, s.ActionString(a))
		}
		a := legal[rng.IntN(len(legal))]
		fmt.Fprintf(&b, "\n%v plays %s\n\n", s.ToMove(), s.ActionString(a))
		s = s.Play(a)
	}
	golden.Compare(t, fmt.Sprintf("testdata/golden/%s-%d.txt", r.Name, seed), trailing.ReplaceAllString(b.String(), ""))
}

// perLine is the number of grids side by side.
const perLine = 10

// grids draws planes of zeros and ones side by side, row 0 at the top. The first line
// lists the channels that are the same on every cell.
func grids(planes []float32, shape engine.Shape) string {
	var b strings.Builder
	var pictures []int // channels
	for c := range shape.C {
		if v, ok := constant(planes, shape, c); ok {
			fmt.Fprintf(&b, "plane %d is %.4g; ", c, v)
		} else {
			pictures = append(pictures, c)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	for row := range slices.Chunk(pictures, perLine) {
		for _, c := range row {
			fmt.Fprintf(&b, "%-*d ", shape.W, c)
		}
		b.WriteByte('\n')
		for y := range shape.H {
			for _, c := range row {
				for x := range shape.W {
					b.WriteString(mark(planes[(y*shape.W+x)*shape.C+c]))
				}
				b.WriteByte(' ')
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// constant reports whether a channel is the same on every cell.
func constant(planes []float32, shape engine.Shape, c int) (float32, bool) {
	for i := c; i < len(planes); i += shape.C {
		if planes[i] != planes[c] {
			return 0, false
		}
	}
	return planes[c], true
}

func mark(v float32) string {
	switch v {
	case 0:
		return "."
	case 1:
		return "#"
	}
	return fmt.Sprintf("(%.3g)", v)
}
