package patchwork

import (
	"fmt"
	"strings"

	"dojo.example/engine"
)

// Groups returns advancing and each patch that can be placed, by its letter, with its
// placements by orientation; see engine.Grouper.
func (s State) Groups() []engine.Group {
	var groups []engine.Group
	var turned [offers + 1][orientations]engine.Group // the last is the special patch
	for _, a := range s.Legal(nil) {
		if plane := int(a) % perCell; plane == planeAdvance {
			groups = append(groups, engine.Group{Name: ".", About: "advance past the other and take a button a square", Actions: []engine.Action{a}})
		} else {
			g := &turned[plane/orientations][plane%orientations]
			g.Actions = append(g.Actions, a)
		}
	}
	for k, patch := range s.onOffer() {
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
	if g := turned[offers][0]; g.Actions != nil {
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
