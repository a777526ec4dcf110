package kernel

import (
	"os"
	"slices"
)

// A level is an instruction set that there are kernels for.
type level int

const (
	portable level = iota
	avx2
	avx512
)

// Environment is the variable that chooses a lower instruction set than the
// processor offers, by a name that [Name] returns. What the processor lacks,
// or no kernel is called, is not chosen.
const Environment = "DOJO_KERNEL"

var active = choose(os.Getenv(Environment))

// Name is the instruction set in use: "avx512", "avx2" or "portable".
func Name() string { return active.String() }

func (l level) String() string { return [...]string{"portable", "avx2", "avx512"}[l] }

// choose is the level named, if the processor has it, or else the best.
func choose(name string) level {
	all := available()
	if i := slices.IndexFunc(all, func(l level) bool { return l.String() == name }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
}

// lanes is the number of floats in a vector.
func (l level) lanes() int { return [...]int{1, 8, 16}[l] }

// tiles lists the widths of the blocks, in vectors and falling, that there
// are kernels for: on rows of so many cells, or for 1×1 if 0.
func (l level) tiles(cells int) []int {
	switch {
	case l == portable:
		return nil
	case cells == 3, l == avx512 && (cells == 0 || cells == 5 || cells == 6):
		return []int{4, 2, 1}
	case l == avx2 && (cells == 0 || cells == 5 || cells == 6), l == avx512 && cells == 9:
		return []int{2, 1}
	case l == avx2 && cells == 9:
		return []int{1}
	}
	return nil
}
