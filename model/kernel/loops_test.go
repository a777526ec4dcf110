package kernel

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A loop is an inner loop of a kernel for arm64.
type loop struct{ function, label, body string }

// innerLoops reads the inner loops of an assembly file.
func innerLoops(t *testing.T, path string) (all []loop) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for function := range strings.SplitSeq(string(text), "\nTEXT ·") {
		name, _, _ := strings.Cut(function, "(")
		begin := map[string]int{}
		for _, at := range regexp.MustCompile(`(?m)^\w+:$|^\tBNE \w+$`).FindAllStringIndex(function, -1) {
			line := function[at[0]:at[1]]
			if label, ok := strings.CutSuffix(line, ":"); ok {
				begin[label] = at[1] + 1
				continue
			}
			label := strings.Fields(line)[1]
			if from, ok := begin[label]; ok && !strings.Contains(function[from:at[0]], ":\n") {
				all = append(all, loop{name, label, function[from : at[1]+1]})
			}
		}
	}
	return all
}

// What the processors for arm64 spend in the inner loops of wide layers is multiply-adds.
// Their speed follows from the number of these that a processor does in a cycle.
func TestLoopsAreMultiplyAdds(t *testing.T) {
	loops := append(innerLoops(t, "neon_arm64.s"), innerLoops(t, "sdot_arm64.s")...)
	for _, c := range []struct {
		kernels  string
		products string
		least    float64 // share of the products
	}{
		{"neonConv3x4 neonConv4x4 neonConv5x4 neonConv6x4 neonConv7x2 neonConv8x2 neonConv9x2", "fmla", 0.85},
		{"neonPair3x4 neonPart4x4 neonPart5x4 neonCells4x4 neonCells5x4 neonCells6x4 neonGrad6x4", "fmla", 0.85},
		{"sdotQuantConv3x4 sdotQuantConv4x4 sdotQuantConv5x4 sdotQuantConv6x4 sdotQuantConv7x2", "sdot", 0.85},
		{"sdotQuantConv8x2 sdotQuantConv9x2 sdotQuantPair3x4 sdotQuantPart4x4 sdotQuantPart5x4", "sdot", 0.85},
		{"sdotQuantCells4x4 sdotQuantCells5x4 sdotQuantCells6x4", "sdot", 0.85},
		{"neonQuantConv3x4 neonQuantConv4x4 neonQuantConv5x2 neonQuantConv6x2 neonQuantConv7x2", "smull|smlal2", 0.6},
		{"neonQuantConv8x2 neonQuantConv9x2 neonQuantPair3x2 neonQuantPart5x2 neonQuantCells5x4", "smull|smlal2", 0.6},
		// Each weight of these is used once, and must be loaded for it.
		{"sdotLogits neonDots", "sdot|fmla", 0.69},
		{"neonGather1x16", "fmla", 0.68},
		{"neonColumns1x16", "add", 0.71},
		{"neonLogits", "smull|smlal2", 0.58},
	} {
		product := regexp.MustCompile(`// (` + c.products + `) `)
		for kernel := range strings.FieldsSeq(c.kernels) {
			i := slices.IndexFunc(loops, func(l loop) bool {
				return l.function == kernel && regexp.MustCompile(`^(several|twice|inputs|chosen)\d*$`).MatchString(l.label)
			})
			if i < 0 {
				t.Errorf("%s has no inner loop", kernel)
				continue
			}
			products := len(product.FindAllString(loops[i].body, -1))
			if all := strings.Count(loops[i].body, "\n"); float64(products) < c.least*float64(all) {
				t.Errorf("%s: %d of the %d instructions of the inner loop multiply, want %.0f %%", kernel, products, all, 100*c.least)
			}
		}
	}
}
