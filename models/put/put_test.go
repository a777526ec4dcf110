package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo/internal/golden"
	"dojo/models"
)

// README.md is made of the records, and they are of the models in the box.
func TestRecords(t *testing.T) {
	want, err := readme("..")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "../README.md", string(want))
	all, err := records("..")
	if err != nil || len(all) != len(models.Games()) {
		t.Fatalf("%d games of %d have a record, %v", len(all), len(models.Games()), err)
	}
	for _, r := range all {
		c, err := models.Load(r.Game)
		if err != nil {
			t.Fatal(err)
		}
		if c.Hash() != r.Hash || len(r.Matches) < 3 {
			t.Errorf("the model of %s is %s, its record is of %s, with %d matches", r.Game, c.Hash(), r.Hash, len(r.Matches))
		}
	}
}

// What cannot be in the box is refused before anything is measured.
func TestCheck(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.safetensors")
	if err := os.WriteFile(large, make([]byte, models.MaxBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{large: "2500000", "main.go": "main.go", "none": "none"} {
		if _, _, err := check(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s gives %v, want %q", path, err, says)
		}
	}
	if r, data, err := check("../tictactoe.safetensors"); err != nil || r.Game != "tictactoe" || r.Bytes != len(data) || r.Hash == "" {
		t.Errorf("the model in the box gives %+v, %v", r, err)
	}
}
