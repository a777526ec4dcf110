package patterns

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// tall stores a 7×6 board by columns with an unused bit on top of each column.
var tall = grid{width: 7, height: 6, kinds: 2, at: func(x, y int) int { return 7*x + y }}

// sets returns sets with narrow patterns, with wide patterns, and with both.
func sets() map[string]*set {
	return map[string]*set{
		"narrow":      newSet(tall, Line(4), Block(2, 2), Line(1)),
		"wide":        newSet(tall, Block(2, 3)),
		"both":        newSet(grid{width: 8, height: 8, kinds: 2}, Line(1), Block(2, 3), Line(2)),
		"four kinds":  newSet(grid{width: 5, height: 5, kinds: 4}, Line(2), Block(2, 2)),
		"no patterns": newSet(grid{width: 2, height: 2, kinds: 2}, Line(3)),
	}
}

// random returns bitboards without common bits. About half of the cells are empty.
func random(b grid, rng *rand.Rand) (men Men) {
	for i := range b.width * b.height {
		if kind := rng.IntN(2 * b.kinds); kind < b.kinds {
			men[kind] |= 1 << b.bit(cell{i % b.width, i / b.width})
		}
	}
	return men
}

// naive lists the features of a position by looking at each cell of each pattern.
func (s *set) naive(men Men) (all []uint16) {
	for _, p := range s.patterns {
		content := 0
		for i, c := range p.cells {
			for kind, set := range men {
				if set>>s.grid.bit(c)&1 == 1 {
					content += (kind + 1) * s.grid.contents(i)
				}
			}
		}
		if content > 0 {
			all = append(all, uint16(p.first+content-1))
		}
	}
	return all
}

func TestAppend(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, s := range sets() {
		for range 200 {
			men := random(s.grid, rng)
			got, want := s.append(nil, &men), s.naive(men)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: men %x have the features %v, want %v", name, men, got, want)
			}
			if !slices.IsSorted(got) || len(got) > s.active() || len(got) > 0 && int(got[len(got)-1]) >= s.count() {
				t.Fatalf("%s: features %v are not sorted, or too many or too large", name, got)
			}
		}
	}
}

// TestPlacements compares the numbers of patterns with numbers that were counted by hand.
func TestPlacements(t *testing.T) {
	for _, c := range []struct {
		shapes []Shape
		want   int
	}{{Line(1), 42}, {Line(4), 69}, {Line(2), 36 + 35 + 30 + 30}, {Block(2, 2), 30}, {Block(2, 3), 6*4 + 5*5}} {
		if got := len(newSet(tall, c.shapes).patterns); got != c.want {
			t.Errorf("%v: %d patterns, want %d", c.shapes, got, c.want)
		}
	}
}

func TestGroups(t *testing.T) {
	s := newSet(grid{width: 2, height: 1, kinds: 2}, Line(2))
	groups := s.groups()
	// Content 5 of 1 to 8 is 2 + 1·3: a man of the second kind on a1, and of the first kind on b1.
	if got, want := groups.NameOf(4), "a1 b1 21"; got != want {
		t.Errorf("feature 4 is %q, want %q", got, want)
	}
	if groups.Count() != s.count() {
		t.Errorf("%d names for %d features", groups.Count(), s.count())
	}
}

// TestImage checks that the features of a mirrored position are the images of its features.
func TestImage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, s := range sets() {
		mirror := func(c cell) cell { return cell{s.grid.width - 1 - c.x, c.y} }
		image := s.groups().Permute(s.image(mirror))
		for range 50 {
			men := random(s.grid, rng)
			var mirrored Men
			for i := range s.grid.width * s.grid.height {
				c := cell{i % s.grid.width, i / s.grid.width}
				for kind := range men {
					mirrored[kind] |= men[kind] >> s.grid.bit(c) & 1 << s.grid.bit(mirror(c))
				}
			}
			var got []uint16
			for _, f := range s.append(nil, &men) {
				got = append(got, image[f])
			}
			slices.Sort(got)
			if want := s.append(nil, &mirrored); !slices.Equal(got, want) {
				t.Fatalf("%s: the image of %x has the features %v, want %v", name, men, got, want)
			}
		}
	}
}

func TestTooMany(t *testing.T) {
	for name, shapes := range map[string][]Shape{"features": Block(3, 3), "cells": Line(8)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("too many %s: no panic", name)
				}
			}()
			newSet(grid{width: 8, height: 8, kinds: 4}, shapes)
		}()
	}
}

func TestNoAllocations(t *testing.T) {
	s := sets()["both"]
	men := random(s.grid, rand.New(rand.NewPCG(5, 6)))
	dst := make([]uint16, 0, s.active())
	if n := testing.AllocsPerRun(100, func() { dst = s.append(dst[:0], &men) }); n > 0 {
		t.Errorf("append allocates %v times", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, s := range sets() {
		men := random(s.grid, rand.New(rand.NewPCG(7, 8)))
		dst := make([]uint16, 0, s.active())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dst = s.append(dst[:0], &men)
			}
		})
	}
}
