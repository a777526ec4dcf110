package patchwork

import (
	"fmt"
	"strings"

	"dojo.example/engine"
)

// Group sorts actions by patch. The group of an action is the patch that it places, and the part is
// the orientation of the patch; see engine.Grouper.
func (s State) Group(a engine.Action) (group, part engine.Group) {
	plane := int(a) % perCell
	if plane == planeAdvance {
		return engine.Group{Name: ".", About: "advance past the opponent and take one button per square"}, engine.Group{}
	}
	patch, o := s.placed(plane)
	p := &pieces[patch]
	about := fmt.Sprintf("costs %d, time %d, income %d", p.cost, p.time, p.income)
	if patch == special {
		about = "the special patch, which costs nothing"
	}
	return engine.Group{Name: letters[patch : patch+1], About: about, Picture: p.shapes[0].picture()},
		engine.Group{Name: letters[o : o+1], Picture: p.shapes[o].picture()}
}

// picture returns lines that show the shape: # for its cells and spaces for other cells.
func (s *shape) picture() (lines []string) {
	for y := range side {
		if row := strings.TrimRight(s.mask.row(y, '#', ' '), " "); row != "" {
			lines = append(lines, row)
		}
	}
	return lines
}
