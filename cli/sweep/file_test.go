package sweep

import (
	"testing"

	"dojo.example/search/think"
)

// The models of all arms (the compared configurations) play matches with the same search constants,
// unless an arm sets its own. These constants do not depend on the arms' presets or on their
// settings for searches in training.
func TestPlayersOfArms(t *testing.T) {
	want := think.Players()
	for _, a := range []struct {
		arm Arm
		set func() // changes want to what is expected for this arm
	}{
		{Arm{Name: "base"}, func() {}},
		{Arm{Name: "near", Set: []string{"mcts.cpuct=1.51"}}, func() {}},
		{Arm{Name: "visits", Set: []string{"mcts.final=visits", "mcts.prior_temperature=2"}}, func() {}},
		{Arm{Name: "other", Preset: "testdata/players.yaml"}, func() {}},
		{Arm{Name: "own", Preset: "testdata/players.yaml", Set: []string{"mcts.cpuct=1.51", "players.cpuct=0.9"}}, func() { want.CPuct = 0.9 }},
	} {
		c, err := File{Preset: "tictactoe", Arms: []Arm{a.arm}}.config(a.arm)
		if a.set(); err != nil || c.Players != want {
			t.Errorf("arm %s plays with %+v, %v; want %+v", a.arm.Name, c.Players, err, want)
		}
	}
	first := Arm{Name: "first", Preset: "testdata/players.yaml"}
	other := Arm{Name: "other", Preset: "onitama-quick"}
	if c, err := (File{Arms: []Arm{first, other}}).config(other); err != nil || c.Players.CPuct != 1.25 {
		t.Errorf("without a preset for all the second arm plays with %+v, %v; want the first one's constants", c.Players, err)
	}
}
