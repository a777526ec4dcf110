package analysis

import "dojo.example/engine"

// Tensors is a position together with the network's input for it, in JSON. The input is always from
// the perspective of the player to move.
type Tensors struct {
	Position
	Planes   Planes   `json:"planes"`
	Features []uint16 `json:"features"` // active features
	Actions  []Action `json:"actions"`  // legal actions
}

// Planes holds the input planes of a position. The value of channel c at row y and column x is
// Values[(y*W + x)*C + c].
type Planes struct {
	Shape  [3]int    `json:"shape"` // H, W, C
	Values []float32 `json:"values"`
}

// Action describes a legal action as the network knows it.
type Action struct {
	Index    engine.Action `json:"index"` // index of the action in the network's policy
	Name     string        `json:"name"`
	Features []uint16      `json:"features,omitempty"` // if the game lists them
}

// DescribeTensors returns the network input for position p.
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
