package bench

import "testing"

// If the preset's game has a trained network of the same sizes, the self-play benchmark uses it,
// because random weights lead to search trees of a different shape.
func TestTrained(t *testing.T) {
	for _, c := range []struct {
		preset, setting, want string
	}{
		{"onitama-quick", "train.passes=1", "box:onitama"},
		{"patchwork", "train.passes=1", "box:patchwork"},
		{"onitama-quick", "network.sparse.columns=64", ""},
	} {
		p, err := newPreset(c.preset, []string{c.setting})
		if err != nil {
			t.Fatal(err)
		}
		p.prepare()
		if got := p.checkpoint.Name; got != c.want {
			t.Errorf("%s with %s is measured with the weights of %q, want %q", c.preset, c.setting, got, c.want)
		}
	}
}
