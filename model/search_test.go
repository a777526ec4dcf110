package model

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// A checkpoint holds the constants of its search and of its players, older ones hold none, and
// impossible ones of the search are refused. They do not change the hash.
func TestSearchTravels(t *testing.T) {
	network := Network{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}.For(tictactoe.Rules.Spec)
	c := NewCheckpoint(Meta{Game: "tictactoe", SpecVersion: 1, Name: "a"}, network, rand.New(rand.NewPCG(1, 1)))
	known := mcts.Constants{CPuct: 2.5, CPuctBase: 1000, FPUReduction: 0.25, Final: mcts.LCB}
	hash := c.Hash()
	for _, want := range []mcts.Constants{{}, known} {
		c.Search, c.Players = want, map[bool]string{true: `{"cpuct":0.7}`}[want == known]
		var file bytes.Buffer
		if err := c.Encode(&file); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(file.Bytes(), []byte("cpuct_base")); got != (want == known) {
			t.Errorf("constants %+v: the file has the key: %v", want, got)
		}
		if got := bytes.Contains(file.Bytes(), []byte("players")); got != (c.Players != "") {
			t.Errorf("constants for players %q: the file has the key: %v", c.Players, got)
		}
		read, err := Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		if read.Players != c.Players {
			t.Errorf("constants for players %q are read as %q", c.Players, read.Players)
		}
		if read.Search != want || read.Hash() != hash {
			t.Errorf("constants %+v are read as %+v, hash %s as %s", want, read.Search, hash, read.Hash())
		}
	}
	for _, bad := range []string{"{", `{"cpuct":-1,"cpuct_base":1,"fpu_reduction":0}`, `{"cpuct":1}`, `{"cpuct":1,"cpuct_base":1,"fpu_reduction":3}`} {
		meta := map[string]string{"format_version": "2", "spec_version": "1", "step": "0", "seed": "0", "search": bad}
		if err := new(Checkpoint).readMeta(meta); err == nil || !strings.Contains(err.Error(), "constants of the search") {
			t.Errorf("%s is read with the error %v", bad, err)
		}
	}
}
