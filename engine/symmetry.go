package engine

// Symmetry is a relabelling of cells, actions and features that leaves the rules unchanged. It maps
// plane element i to Planes[i], action a to Actions[a] and feature f to Features[f]. A game lists
// its symmetries, and the trainer applies them to training samples.
type Symmetry struct {
	Name     string
	Planes   []int32
	Actions  []Action
	Features []uint16 // empty if the game has no features

	ActionFeatures []uint16 // action feature f becomes ActionFeatures[f]; empty if none changes
}

// Relabelling describes a symmetry by functions that map the plane elements, the actions, the
// features by group, and the action features. Action and ActionFeature may be nil if the symmetry
// does not change them.
type Relabelling struct {
	Name          string
	Element       func(cell, channel int) (otherCell, otherChannel int)
	Action        func(a int) int
	Feature       func(group, i int) (otherGroup, j int)
	ActionFeature func(f int) int
}

// WithSymmetries returns a copy of the rules with the listed symmetries added.
func (r Rules[S]) WithSymmetries(list ...Relabelling) Rules[S] {
	for _, to := range list {
		sym := Symmetry{Name: to.Name, Features: r.FeatureGroups.Permute(to.Feature)}
		for e := range r.Planes.Size() {
			cell, channel := to.Element(e/r.Planes.C, e%r.Planes.C)
			sym.Planes = append(sym.Planes, int32(cell*r.Planes.C+channel))
		}
		for a := range r.Actions {
			if to.Action != nil {
				a = to.Action(a)
			}
			sym.Actions = append(sym.Actions, Action(a))
		}
		for f := 0; f < r.ActionFeatures && to.ActionFeature != nil; f++ {
			sym.ActionFeatures = append(sym.ActionFeatures, uint16(to.ActionFeature(f)))
		}
		r.Symmetries = append(r.Symmetries, sym)
	}
	return r
}
