package breakthrough

import "dojo.example/engine"

// featureGroups lists the men of each side. It also lists the men that can be captured, because a
// weighted sum over the men cannot detect them.
var featureGroups = engine.FeatureGroups{
	{Name: "my men", Each: cellNames()},
	{Name: "their men", Each: cellNames()},
	{Name: "my men that can be taken", Each: cellNames()},
	{Name: "their men that can be taken", Each: cellNames()},
}

func cellNames() (names []string) {
	for i := range cells {
		names = append(names, State{}.cellName(i))
	}
	return names
}

// attacks returns the cells that the mover's men attack and the cells that the opponent's men
// attack.
func (s State) attacks() (mine, theirs uint64) {
	return s.mine&^columnA<<7 | s.mine&^columnH<<9, s.theirs&^columnA>>9 | s.theirs&^columnH>>7
}

// Features appends the active features; see featureGroups and engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	mine, theirs := s.attacks()
	for group, set := range [...]uint64{s.mine, s.theirs, s.mine & theirs, s.theirs & mine} {
		dst = engine.AppendFeatures(dst, group*cells, set)
	}
	return dst
}

// These constants number the action features. An action has one feature. It combines the row that
// the man moves to with flags for the effect of the move.
const (
	takes        = 1 << iota // the move captures a man
	leavesAttack             // the opponent could have captured the man on its old cell
	attacked                 // the opponent can capture the man on its new cell
	covered                  // another man protects the man on its new cell
	perRow
	actionFeatures = side * perRow
)

// ActionFeatures appends the feature of each action; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	_, theirs := s.attacks()
	for _, a := range legal {
		from := int(a) / steps
		to := from + 7 + int(a)%steps
		rest := State{mine: s.mine &^ (1 << from)}
		cover, _ := rest.attacks()
		flags := s.theirs>>to&1*takes | theirs>>from&1*leavesAttack | theirs>>to&1*attacked | cover>>to&1*covered
		dst = append(dst, uint16(to/side*perRow)+uint16(flags))
	}
	return dst
}

// mirror is the symmetry that exchanges left and right. Action features do not change.
var mirror = engine.Relabelling{
	Name:    "mirror",
	Element: func(cell, channel int) (int, int) { return cell ^ 7, channel },
	Action:  func(a int) int { return (a/steps^7)*steps + steps - 1 - a%steps },
	Feature: func(group, cell int) (int, int) { return group, cell ^ 7 },
}
