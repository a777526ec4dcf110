package patterns

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// tall stores a 7×6 board by columns with an unused bit on top of each column.
var tall = Board{Width: 7, Height: 6, Kinds: 2, Bit: func(x, y int) int { return 7*x + y }}

// sets returns sets with narrow patterns, with wide patterns, and with both.
func sets() map[string]*Set {
	return map[string]*Set{
		"narrow":      New(tall, Line(4), Block(2, 2), Line(1)),
		"wide":        New(tall, Block(2, 3)),
		"both":        New(Board{Width: 8, Height: 8, Kinds: 2}, Line(1), Block(2, 3), Line(2)),
		"four kinds":  New(Board{Width: 5, Height: 5, Kinds: 4}, Line(2), Block(2, 2)),
		"no patterns": New(Board{Width: 2, Height: 2, Kinds: 2}, Line(3)),
	}
}

// random returns bitboards without common bits. About half of the cells are empty.
func random(b Board, rng *rand.Rand) (men []uint64) {
	men = make([]uint64, b.Kinds)
	for i := range b.Width * b.Height {
		if kind := rng.IntN(2 * b.Kinds); kind < b.Kinds {
			men[kind] |= 1 << b.bit(cell{i % b.Width, i / b.Width})
		}
	}
	return men
}

// naive lists the features of a position by looking at each cell of each pattern.
func (s *Set) naive(men []uint64) (all []uint16) {
	for _, p := range s.patterns {
		content := 0
		for i, c := range p.cells {
			for kind, set := range men {
				if set>>s.board.bit(c)&1 == 1 {
					content += (kind + 1) * s.board.contents(i)
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
			men := random(s.board, rng)
			got, want := s.Append(nil, men...), s.naive(men)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: men %x have the features %v, want %v", name, men, got, want)
			}
			if !slices.IsSorted(got) || len(got) > s.Active() || len(got) > 0 && int(got[len(got)-1]) >= s.Count() {
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
		if got := len(New(tall, c.shapes).patterns); got != c.want {
			t.Errorf("%v: %d patterns, want %d", c.shapes, got, c.want)
		}
	}
}

func TestGroups(t *testing.T) {
	s := New(Board{Width: 2, Height: 1, Kinds: 2}, Line(2))
	groups := s.Groups()
	// Content 5 of 1 to 8 is 2 + 1·3: a man of the second kind on a1, and of the first kind on b1.
	if got, want := groups.NameOf(4), "a1 b1 21"; got != want {
		t.Errorf("feature 4 is %q, want %q", got, want)
	}
	if groups.Count() != s.Count() {
		t.Errorf("%d names for %d features", groups.Count(), s.Count())
	}
}

// TestImage checks that the features of a mirrored position are the images of its features.
func TestImage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, s := range sets() {
		mirror := func(x, y int) (int, int) { return s.board.Width - 1 - x, y }
		image := s.Groups().Permute(s.Image(mirror))
		for range 50 {
			men := random(s.board, rng)
			mirrored := make([]uint64, len(men))
			for i := range s.board.Width * s.board.Height {
				c := cell{i % s.board.Width, i / s.board.Width}
				x, y := mirror(c.x, c.y)
				for kind := range men {
					mirrored[kind] |= men[kind] >> s.board.bit(c) & 1 << s.board.bit(cell{x, y})
				}
			}
			var got []uint16
			for _, f := range s.Append(nil, men...) {
				got = append(got, image[f])
			}
			slices.Sort(got)
			if want := s.Append(nil, mirrored...); !slices.Equal(got, want) {
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
			New(Board{Width: 8, Height: 8, Kinds: 4}, shapes)
		}()
	}
}

func TestNoAllocations(t *testing.T) {
	s := sets()["both"]
	men := random(s.board, rand.New(rand.NewPCG(5, 6)))
	mine, theirs, dst := men[0], men[1], make([]uint16, 0, s.Active())
	if n := testing.AllocsPerRun(100, func() { dst = s.Append(dst[:0], mine, theirs) }); n > 0 {
		t.Errorf("Append allocates %v times", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, s := range sets() {
		men := random(s.board, rand.New(rand.NewPCG(7, 8)))
		dst := make([]uint16, 0, s.Active())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dst = s.Append(dst[:0], men...)
			}
		})
	}
}
