package connectfour

import (
	"math/rand/v2"

	"dojo.example/engine"
)

// Plain is a State without features of its own. For a game with Plain states, dojo derives the
// features from the planes.
type Plain State

// PlainRules returns the rules of Connect Four for Plain states. The name is the name of the game
// with its options.
func PlainRules(name string) engine.Rules[Plain] {
	spec := Rules.Spec
	spec.Name = name
	spec.Features, spec.ActiveFeatures, spec.ActionFeatures, spec.PerAction = 0, 0, 0, 0
	symmetry := mirror
	symmetry.Feature, symmetry.ActionFeature = nil, nil
	return engine.Rules[Plain]{
		Spec: spec,

		English: Rules.English, Vietnamese: Rules.Vietnamese,

		Start: func(rng *rand.Rand) Plain { return Plain(deal(rng)) },
		Usual: func() Plain { return Plain{} },
		Parse: func(text string) (Plain, error) {
			s, err := Parse(text)
			return Plain(s), err
		},
	}.WithSymmetries(symmetry)
}

// The methods of Plain are the methods of State.

func (p Plain) ToMove() engine.Player                         { return State(p).ToMove() }
func (p Plain) Outcome() engine.Outcome                       { return State(p).Outcome() }
func (p Plain) Legal(dst []engine.Action) []engine.Action     { return State(p).Legal(dst) }
func (p Plain) Play(a engine.Action) Plain                    { return Plain(State(p).Play(a)) }
func (p Plain) Encode(planes []float32)                       { State(p).Encode(planes) }
func (p Plain) ActionString(a engine.Action) string           { return State(p).ActionString(a) }
func (p Plain) ReadAction(text string) (engine.Action, error) { return State(p).ReadAction(text) }
func (p Plain) String() string                                { return State(p).String() }
func (p Plain) Draw() string                                  { return State(p).Draw() }
func (p Plain) Bitboards() (mine, theirs uint64)              { return State(p).Bitboards() }
func (p Plain) Strikes(of engine.Player) bool                 { return State(p).Strikes(of) }
func (p Plain) Hash() uint64                                  { return State(p).Hash() }
func (p Plain) Heuristic() int                                { return State(p).Heuristic() }
