package enginetest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/internal/golden"
)

var trailing = regexp.MustCompile(`(?m) +$`)

// Golden plays a random game and compares it with the file testdata/golden/<game>-<seed>.txt. The
// file contains the text, drawing, planes, features and legal actions of every position. Run the
// test with -update to write the file, and then review the file once.
func Golden[S engine.State[S]](t *testing.T, r engine.Rules[S], seed uint64) {
	t.Helper()
	text, err := recorded(r, seed)
	report(t, r.Name, err)
	golden.Compare(t, fmt.Sprintf("testdata/golden/%s-%d.txt", r.Name, seed), trailing.ReplaceAllString(text, ""))
}

// recorded plays a random game and returns it as text.
func recorded[S engine.State[S]](r engine.Rules[S], seed uint64) (string, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	planes, features := make([]float32, r.Planes.Size()), engine.FeatureInput(r.Planes, 0)
	var b strings.Builder
	show := func(s S) {
		fmt.Fprintln(&b, s)
		if d, ok := any(s).(engine.Drawer); ok {
			b.WriteString(d.Draw())
		}
		s.Encode(planes)
		b.WriteString(grids(planes, r.Planes))
		if r.Features > 0 {
			fmt.Fprintf(&b, "features: %s\n", byGroup(list(&features, engine.Forget(s), nil), r.FeatureGroups))
		}
	}
	start, err := r.Deal(rng)
	if err != nil {
		return "", err
	}
	last, err := r.PlayFrom(start, func(s S, _ int, legal []engine.Action) (engine.Action, error) {
		show(s)
		for _, a := range legal {
			fmt.Fprintf(&b, "%d=%s; ", a, s.ActionString(a))
		}
		a := legal[rng.IntN(len(legal))]
		fmt.Fprintf(&b, "\n%v plays %s\n\n", s.ToMove(), s.ActionString(a))
		return a, nil
	})
	if err != nil {
		return "", err
	}
	show(last)
	fmt.Fprintf(&b, "outcome %v\n", last.Outcome())
	return b.String(), nil
}

// grids returns the planes as text. The first line lists the channels that have the same value on
// every cell. Every other channel has its own line: the rows of the board, from row 0 on, separated
// by spaces.
func grids(planes []float32, shape engine.Shape) string {
	var same, pictures strings.Builder
	for c := range shape.C {
		constant, rows := true, ""
		for i := c; i < len(planes); i += shape.C {
			constant = constant && planes[i] == planes[c]
			if cell := i / shape.C; cell%shape.W == 0 {
				rows += " "
			}
			rows += mark(planes[i])
		}
		if constant {
			fmt.Fprintf(&same, "plane %d is %.4g; ", c, planes[c])
		} else {
			fmt.Fprintf(&pictures, "%3d%s\n", c, rows)
		}
	}
	return same.String() + "\n" + pictures.String()
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

// byGroup returns the names of features, sorted into groups, such as "my men a1 b2; ...".
func byGroup(features []uint16, groups engine.FeatureGroups) string {
	var b strings.Builder
	last := -1 // index of the previous feature's group
	for _, f := range features {
		group, i := groups.At(int(f))
		if group != last && last >= 0 {
			b.WriteString("; ")
		}
		if group != last {
			b.WriteString(groups[group].Name)
		}
		b.WriteString(" " + groups[group].Each[i])
		last = group
	}
	return b.String()
}
