package patchwork

import (
	"fmt"
	"strings"

	"dojo/engine"
)

// Groups returns advancing and each patch that can be placed, by its letter, with its
// placements by orientation; see engine.Grouper.
func (s State) Groups() []engine.Group {
	var groups []engine.Group
	if s.Outcome() != engine.Ongoing {
		return nil
	}
	var patches [offers + 1]engine.Group // the last is the special one
	var turned [offers][orientations]engine.Group
	for _, a := range s.Legal(nil) {
		switch plane := int(a) % perCell; plane {
		case planeAdvance:
			groups = append(groups, engine.Group{Name: ".", About: "advance past the other and take a button a square", Actions: []engine.Action{a}})
		case planeSpecial:
			patches[offers].Actions = append(patches[offers].Actions, a)
		default:
			g := &turned[plane/orientations][plane%orientations]
			g.Actions = append(g.Actions, a)
		}
	}
	for k := range min(offers, int(s.left)) {
		patch := int(s.circle[k])
		p := &pieces[patch]
		g := engine.Group{
			Name:    letters[patch : patch+1],
			About:   fmt.Sprintf("costs %d, time %d, income %d", p.cost, p.time, p.income),
			Picture: p.shapes[0].picture(),
		}
		for o, part := range turned[k] {
			if part.Actions != nil {
				part.Name, part.Picture = letters[o:o+1], p.shapes[o].picture()
				g.Parts = append(g.Parts, part)
			}
		}
		if g.Parts != nil {
			groups = append(groups, g)
		}
	}
	if g := patches[offers]; g.Actions != nil {
		g.Name, g.About, g.Picture = letters[special:special+1], "the special patch, which costs nothing", []string{"#"}
		groups = append(groups, g)
	}
	return groups
}

// picture returns the shape as lines of # and blanks.
func (s *shape) picture() (lines []string) {
	for y := range side {
		if row := strings.TrimRight(s.mask.row(y, '#', ' '), " "); row != "" {
			lines = append(lines, row)
		}
	}
	return lines
}
