package patterns

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// tall stores a 7×6 board by columns with an unused bit on top of each column.
var tall = newGrid(engine.Shape{C: 2, H: 6, W: 7}, func(x, y int) int { return 7*x + y })

// random returns the men of both players on a random board. About half of the cells are free.
func random(g *grid, rng *rand.Rand) (mine, theirs uint64) {
	for bit := range g.cells {
		switch rng.IntN(4) {
		case 0:
			mine |= 1 << bit
		case 1:
			theirs |= 1 << bit
		}
	}
	return mine, theirs
}

// TestPlacements compares the numbers of placements with numbers that were counted by hand.
func TestPlacements(t *testing.T) {
	for _, c := range []struct {
		shapes []Shape
		want   int
	}{{Line(1), 42}, {Line(4), 69}, {Line(2), 36 + 35 + 30 + 30}, {Block(2, 2), 30}, {Block(2, 3), 6*4 + 5*5}} {
		got := 0
		for _, shape := range c.shapes {
			got += len(tall.placements(shape))
		}
		if got != c.want {
			t.Errorf("%v: %d placements, want %d", c.shapes, got, c.want)
		}
	}
}

// TestCompleting finds the cells that complete a shape a second time, by counting the men on each
// placement.
func TestCompleting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shapes := range [][]Shape{Line(4), Line(3), Block(2, 2), append(Line(5), Block(2, 3)...)} {
		for _, g := range []*grid{tall, newGrid(engine.Shape{C: 2, H: 8, W: 8}, nil)} {
			all, found := newGoals(g, shapes), 0
			for range 200 {
				men, _ := random(g, rng)
				men |= men << 1 & g.all // more men, so that more shapes are nearly complete
				want := uint64(0)
				for _, shape := range shapes {
					for _, cells := range g.placements(shape) {
						var missing []cell
						for _, c := range cells {
							if men>>g.at(c)&1 == 0 {
								missing = append(missing, c)
							}
						}
						if len(missing) == 1 {
							want |= 1 << g.at(missing[0])
						}
					}
				}
				if got := all.completing(men) &^ men; got != want {
					t.Fatalf("%v: %x complete a shape of %x, want %x", shapes, got, men, want)
				}
				if want != 0 {
					found++
				}
			}
			if found < 20 {
				t.Errorf("%v: only %d boards have a cell that completes a shape", shapes, found)
			}
		}
	}
}

// TestCorners checks the names and the content of the corners of a small board by hand.
func TestCorners(t *testing.T) {
	g := newGrid(engine.Shape{C: 2, H: 2, W: 3}, nil)
	all := newCorners(g, append(Line(2), Line(3)...))
	// Two horizontal lines of two in each row, the vertical lines of columns a and c, two diagonal
	// lines in each direction, and the two rows. Each covers a corner.
	if len(all) != 4+2+4+2 {
		t.Fatalf("%d corners, want 12", len(all))
	}
	row := all[len(all)-1] // a2 b2 c2
	var groups engine.FeatureGroups
	row.addTo(&groups)
	// My man is on a2 and theirs is on c2: 1 + 2·9.
	if got := row.content(1<<3, 1<<5); got != 19 || groups.NameOf(got) != "a2 b2 c2 x.o" {
		t.Errorf("the content is %d: %s", got, groups.NameOf(got))
	}
}

// TestCornerImage checks that the contents of the corners of a mirrored board are the images of its
// contents.
func TestCornerImage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	all := newCorners(tall, append(Line(4), Block(2, 3)...))
	mirror := func(c cell) cell { return cell{tall.width - 1 - c.x, c.y} }
	turned := func(set uint64) (image uint64) {
		for bit := range tall.cells {
			image |= set >> bit & 1 << tall.image(mirror, bit)
		}
		return image
	}
	for range 50 {
		mine, theirs := random(tall, rng)
		for i := range all {
			other, content := cornerImage(all, mirror, i, int(all[i].content(mine, theirs)))
			if want := int(all[other].content(turned(mine), turned(theirs))); content != want {
				t.Fatalf("%v: the image of the content is %d, want %d", all[i].cells, content, want)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a symmetry that moves a corner elsewhere: no panic")
		}
	}()
	cornerImage(all, func(c cell) cell { return cell{c.x, c.y + 1} }, 0, 0)
}

// TestUneven checks that goals on bits with different distances are refused.
func TestUneven(t *testing.T) {
	g := newGrid(engine.Shape{C: 2, H: 3, W: 3}, func(x, y int) int { return y*y*4 + x })
	defer func() {
		if recover() == nil {
			t.Error("uneven bits: no panic")
		}
	}()
	newGoals(g, Line(2))
}

func TestOccupied(t *testing.T) {
	for _, c := range []struct {
		fresh, theirs uint64
		want          int
	}{{1 << 5, 0, 5}, {1 << 5, 1 << 5, 5}, {1<<5 | 1<<9, 1 << 9, 5}, {0, 1, noCell}, {1<<5 | 1<<9, 0, noCell}, {1<<5 | 1<<9, 1<<5 | 1<<9, noCell}} {
		if got := occupied(c.fresh, c.theirs); got != c.want {
			t.Errorf("%x, %x: cell %d, want %d", c.fresh, c.theirs, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	names := tall.names()
	if len(names) != noCell || names[7] != "b1" || names[6] != "bit 6" || slices.Contains(names[49:], "a1") {
		t.Errorf("the names of the bits are %q", names)
	}
}
