// Package patterns describes positions of games on a board by sets of cells, and actions by what
// they change. With one call, a game gets features that need no knowledge about good play:
//
//	rules = patterns.Describe(rules, patterns.Board[State]{Men: State.men, Reach: State.reach})
//
// A sparse network has one column of weights for each feature and adds up the columns. The sum does not
// show which properties belong to the same cell. So a feature stands for a cell with several properties,
// for example a man that the opponent can take and that another man protects.
package patterns

import (
	"fmt"

	"dojo.example/engine"
)

// Board says how the states of a game store a board, and what men can do on it. The board has a cell
// for each cell of the planes (Spec.Planes), in the same place.
//
// The functions Men and Reach get a viewer and return two sets, which belong to the viewer and to
// the other player. Both sets show the board as the planes show it when it is the viewer's turn. So a
// game that turns its board after each action must turn the sets if the viewer is not to move.
type Board[S engine.State[S]] struct {
	// Bit returns the bit of the cell in column x and row y of the planes, below 64. Both count from
	// 0. If Bit is nil, the bit is y*W + x.
	Bit func(x, y int) int

	// Men returns the cells with men.
	Men func(s S, viewer engine.Player) (mine, theirs uint64)

	// Reach returns the cells that the players reach. A player reaches a cell if he could put or move
	// a man there with one action if it were his turn. He also reaches a cell with his own man if he
	// protects it: he could move there if the opponent's man were there instead. If Reach is nil, no
	// feature says what players reach.
	Reach func(s S, viewer engine.Player) (mine, theirs uint64)

	// Goals are the shapes that win: a player who has men on all cells of one of them has won.
	// Features then say which free cells complete a shape. In each direction, the bits of
	// neighbouring cells must have the same distance everywhere on the board.
	Goals []Shape

	// Corners are shapes whose content matters in the corners of the board. Each placement that
	// covers a corner has one feature for each content. Such tables are known as n-tuple networks
	// (Lucas 2008) and as the pattern tables of Othello programs (Buro 1997).
	Corners []Shape

	// Sides makes separate features of men and goals for First and for Second as the player to move.
	// Set it if the value for the player to move depends on whether he is First or Second.
	Sides bool

	// Strikes reports whether p could win with one action if it were p's turn; see
	// [engine.Striker]. If it is nil, the features of actions say nothing about later actions.
	Strikes func(s S, p engine.Player) bool
}

// Choose reads the option features of a game; see [engine.FeaturesOption]. For the value "expert",
// which is the default, it returns the rules as they are. For "none" it returns the rules without
// features, so that dojo derives features from the planes. For "patterns" it returns the result of
// [Describe].
func Choose[S engine.State[S]](set *engine.Settings, r engine.Rules[S], b Board[S]) engine.Rules[S] {
	switch set.Choice(engine.FeaturesOption, "expert", "none", "patterns") {
	case "none":
		return bare(r)
	case "patterns":
		return Describe(r, b)
	}
	return r
}

// bare returns the rules without features.
func bare[S engine.State[S]](r engine.Rules[S]) engine.Rules[S] {
	r.Listing, r.FeatureGroups = &engine.Listing[S]{}, nil
	r.Features, r.ActiveFeatures, r.ActionFeatures, r.PerAction = 0, 0, 0, 0
	var all []engine.Symmetry
	for _, sym := range r.Symmetries {
		sym.Features, sym.ActionFeatures = nil, nil
		all = append(all, sym)
	}
	r.Symmetries = all
	return r
}

// Describe returns the rules with the features of this package instead of their own. The features of
// a position are
//
//   - the cells of each player's men;
//   - cells by their content (free, my man, their man) and by who reaches them (I, they, both);
//   - free cells that complete one of Board.Goals for me, and for them;
//   - the contents of the Board.Corners.
//
// Each action has one feature; see the comment of actions. The features follow the symmetries of the
// rules.
//
// Describe panics if 16 bits cannot number the features, if a symmetry does not move corners to
// corners, or if the bits do not fit Board.Goals.
func Describe[S engine.State[S]](r engine.Rules[S], b Board[S]) engine.Rules[S] {
	r = bare(r)
	g := newGrid(r.Planes, b.Bit)
	cells := newCells(g, b)
	acts := &actions[S]{board: b, goals: cells.goals, perCell: perCell(b)}
	r.FeatureGroups = cells.groups
	r.Features, r.ActiveFeatures = cells.groups.Count(), cells.active()
	r.ActionFeatures, r.PerAction = (noCell+1)*acts.perCell, 1
	if r.Features > 1<<16 {
		panic(fmt.Sprintf("patterns: %s has %d features, more than 16 bits can number", r.Name, r.Features))
	}
	r.Listing = &engine.Listing[S]{Features: cells.append, ActionFeatures: acts.append}
	for i := range r.Symmetries {
		sym := &r.Symmetries[i]
		to := cellsOf(r, *sym)
		sym.Features = r.FeatureGroups.Permute(cells.image(to))
		for f := range r.ActionFeatures {
			sym.ActionFeatures = append(sym.ActionFeatures, uint16(g.image(to, f/acts.perCell)*acts.perCell+f%acts.perCell))
		}
	}
	return r
}

// cellsOf returns how a symmetry moves the cells of the board.
func cellsOf[S engine.State[S]](r engine.Rules[S], sym engine.Symmetry) func(c cell) cell {
	return func(c cell) cell {
		element := int(sym.Planes[(c.y*r.Planes.W+c.x)*r.Planes.C])
		if element%r.Planes.C != 0 {
			panic(fmt.Sprintf("patterns: symmetry %s of %s does not keep the channels", sym.Name, r.Name))
		}
		to := element / r.Planes.C
		return cell{to % r.Planes.W, to / r.Planes.W}
	}
}
