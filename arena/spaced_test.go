package arena

import (
	"slices"
	"testing"
)

func TestSpaced(t *testing.T) {
	for _, c := range []struct {
		n, count int
		want     []int
	}{{5, 3, []int{0, 2, 4}}, {3, 9, []int{0, 1, 2}}, {10, 2, []int{0, 9}}, {1, 4, []int{0}}, {0, 2, []int{}}} {
		if got := Spaced(c.n, c.count); !slices.Equal(got, c.want) {
			t.Errorf("Spaced(%d, %d) = %v, want %v", c.n, c.count, got, c.want)
		}
	}
}
