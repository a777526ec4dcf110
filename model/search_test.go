package model

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine/tictactoe"
)

// A checkpoint stores the settings of its searches, in training and in play, as texts and does not
// change them. Older checkpoints have no such texts. The texts do not affect the hash, and Decode
// rejects texts that are too long.
func TestSearchTravels(t *testing.T) {
	network := Network{Body: Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}.For(tictactoe.Rules.Spec)
	c := NewCheckpoint(Meta{Game: "tictactoe", SpecVersion: 1, Name: "a"}, network, rand.New(rand.NewPCG(1, 1)))
	hash := c.Hash()
	encoded := func() *bytes.Buffer {
		var file bytes.Buffer
		if err := c.Encode(&file); err != nil {
			t.Fatal(err)
		}
		return &file
	}
	for search, players := range map[string]string{"": "", `{"cpuct":2.5}`: `{"cpuct":0.7}`} {
		c.Search, c.Players = search, players
		file := encoded()
		if got := bytes.Contains(file.Bytes(), []byte("search")); got != (search != "") {
			t.Errorf("constants %q: the file has the key: %v", search, got)
		}
		if got := bytes.Contains(file.Bytes(), []byte("players")); got != (players != "") {
			t.Errorf("constants for players %q: the file has the key: %v", players, got)
		}
		read, err := Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if read.Search != search || read.Players != players || read.Hash() != hash {
			t.Errorf("constants %q and %q are read as %q and %q, hash %s as %s", search, players, read.Search, read.Players, hash, read.Hash())
		}
	}
	c.Search = strings.Repeat("x", 201)
	if _, err := Decode(encoded()); err == nil || !strings.Contains(err.Error(), "search has 201 bytes") {
		t.Errorf("a long text of constants is read with the error %v", err)
	}
}
