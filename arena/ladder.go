package arena

import "math"

// Rung is one model of a ladder.
type Rung struct {
	Model    string   `json:"model"`
	Elo      float64  `json:"elo"`                // above the first model: the sum of the steps
	EloLow   float64  `json:"elo_low"`            // 95 %, the steps being independent
	EloHigh  float64  `json:"elo_high"`           //
	Previous *Summary `json:"previous,omitempty"` // against the model before it
	First    *Summary `json:"first,omitempty"`    // against the first, if that is another
}

// Ladder compares models: each plays the one before it and the first. The
// function match plays models[i] against models[j]; show is called for every
// rung as it is complete.
func Ladder(models []string, match func(i, j int) (Result, error), show func(Rung) error) error {
	play := func(i, j int) (*Summary, error) {
		r, err := match(i, j)
		s := r.Summary(models[i], models[j])
		return &s, err
	}
	below := Rung{Model: models[0]}
	if err := show(below); err != nil {
		return err
	}
	for i := 1; i < len(models); i++ {
		r := Rung{Model: models[i]}
		var err error
		if r.Previous, err = play(i, i-1); err != nil {
			return err
		}
		if i > 1 {
			if r.First, err = play(i, 0); err != nil {
				return err
			}
		}
		step := r.Previous
		r.Elo = below.Elo + step.Elo
		r.EloLow = r.Elo - together(below.Elo-below.EloLow, step.Elo-step.EloLow)
		r.EloHigh = r.Elo + together(below.EloHigh-below.Elo, step.EloHigh-step.Elo)
		if err := show(r); err != nil {
			return err
		}
		below = r
	}
	return nil
}

// Spaced are count numbers from 0 to n-1, both included, as evenly as may be;
// all n, if there are not so many.
func Spaced(n, count int) []int {
	count = min(count, n)
	if count < 2 {
		return []int{0}[:count]
	}
	var chosen []int
	for i := range count {
		chosen = append(chosen, i*(n-1)/(count-1))
	}
	return chosen
}

// together is the error of a sum of which two independent errors are known.
func together(a, b float64) float64 { return math.Sqrt(float64(a*a) + float64(b*b)) }
