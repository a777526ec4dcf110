package analysis

import "dojo.example/engine"

// Tensors is what networks are told of a position, from the side of the player to move, in JSON.
type Tensors struct {
	Position
	Planes   Planes   `json:"planes"`
	Features []uint16 `json:"features"` // the active ones
	Actions  []Action `json:"actions"`  // the legal ones
}

// Planes are the planes of a position: channel c of cell (y, x) is element (y*W + x)*C + c.
type Planes struct {
	Shape  [3]int    `json:"shape"` // H, W, C
	Values []float32 `json:"values"`
}

// Action is a legal action.
type Action struct {
	Index    engine.Action `json:"index"` // in the policy
	Name     string        `json:"name"`
	Features []uint16      `json:"features,omitempty"` // what it does, in games that say so
}

// DescribeTensors returns what networks of a game are told of a position.
func DescribeTensors(game engine.Game, p engine.Position) Tensors {
	planes, lists := engine.PlaneInput(game.Planes), engine.FeatureInput(game.Planes, game.PerAction)
	planes.Append(p)
	lists.Append(p)
	t := Tensors{
		Position: Describe(game.Name, p),
		Planes:   Planes{[3]int{game.Planes.H, game.Planes.W, game.Planes.C}, planes.PlanesOf(0)},
		Features: lists.FeaturesOf(0), Actions: []Action{},
	}
	if p.Outcome() != engine.Ongoing {
		return t
	}
	for i, a := range lists.LegalOf(0) {
		x := Action{Index: a, Name: p.ActionString(a)}
		for n := range game.PerAction {
			x.Features = append(x.Features, lists.ActionFeaturesOf(0, n)[i])
		}
		t.Actions = append(t.Actions, x)
	}
	return t
}
