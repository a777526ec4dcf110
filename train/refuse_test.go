package train_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/internal/safetensors"
	"dojo.example/train"
)

// If a shard does not belong to the run, training does not begin. The error is one line that names
// the shard and the cause.
func TestForeignShardsAreRefused(t *testing.T) {
	whole := t.TempDir()
	opt, err := tiny(whole, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := train.Selfplay(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(p *data.Provenance, rows []data.Row) []data.Row
		says  string
	}{
		"another generation": {func(p *data.Provenance, rows []data.Row) []data.Row { p.Generation = 3; return rows }, "shard 1 of generation 3, not shard 1 of generation 0"},
		"another number":     {func(p *data.Provenance, rows []data.Row) []data.Row { p.Shard = 4; return rows }, "shard 4 of generation 0, not shard 1 of generation 0"},
		"rows of another":    {func(p *data.Provenance, rows []data.Row) []data.Row { rows[0].Generation = 3; return rows }, "row names run tiny, generation 3"},
		"another run": {func(p *data.Provenance, rows []data.Row) []data.Row {
			p.Run = "huge"
			for i := range rows {
				rows[i].Run = "huge"
			}
			return rows
		}, "run huge, not tiny"},
		"another seed": {func(p *data.Provenance, rows []data.Row) []data.Row { p.Seed = math.MaxUint64; return rows }, "with seed 18446744073709551615"},
		"no rows":      {func(p *data.Provenance, rows []data.Row) []data.Row { return nil }, "it has 0 games, but a shard of the run has 8"},
		"a game less":  {func(p *data.Provenance, rows []data.Row) []data.Row { return rows[rows[0].TurnsLeft:] }, "it has 7 games, but a shard of the run has 8"},
		"illegal action": {func(p *data.Provenance, rows []data.Row) []data.Row {
			rows[1].Action = rows[0].Action
			return rows
		}, "row 1: the played action"},
		"illegal policy": {func(p *data.Provenance, rows []data.Row) []data.Row {
			rows[1].Policy = []data.Weight{{Action: rows[0].Action, Weight: 1}}
			return rows
		}, " of the policy is not legal"},
		"the outcome turned round": {func(p *data.Provenance, rows []data.Row) []data.Row {
			for i := range rows {
				rows[i].Outcome *= -1
			}
			return rows
		}, "the outcome is"},
		"a game cut short": {func(p *data.Provenance, rows []data.Row) []data.Row {
			cut := int(rows[0].TurnsLeft) - 1
			rows = slices.Delete(rows, cut, cut+1)
			for i := range cut {
				rows[i].TurnsLeft--
			}
			return rows
		}, "turns_left is 1"},
		"an action that was not played": {func(p *data.Provenance, rows []data.Row) []data.Row {
			rows[0].Action = rows[1].Action
			return rows
		}, "row 1: the position is"},
		"a position of another game": {func(p *data.Provenance, rows []data.Row) []data.Row {
			rows[0].Position = rows[1].Position
			return rows
		}, "row 0: the position is"},
		"games of another shard": {func(p *data.Provenance, rows []data.Row) []data.Row {
			for i := range rows {
				rows[i].Game += 8
			}
			return rows
		}, "begin with number 8"},
		"a row of another model": {func(p *data.Provenance, rows []data.Row) []data.Row { rows[0].Model = "000007"; return rows }, "model 000007"},
		"the wrong mover":        {func(p *data.Provenance, rows []data.Row) []data.Row { rows[1].Mover = 0; return rows }, "row 1: the mover is 0"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		f := rundir.Folder(dir)
		h, rows, err := data.ReadShard(f.Shard(0, 1), data.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		rows = c.spoil(&h, rows)
		if err := data.WriteShard(f.Shard(0, 1), h, rows); err != nil {
			t.Fatal(err)
		}
		err = loop(t.Context(), dir, 1)
		if err == nil || !strings.Contains(err.Error(), f.Shard(0, 1)) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v should be one line with the shard and %q", name, err, c.says)
		}
		if _, err := os.Stat(f.Model("000000")); err == nil {
			t.Errorf("%s: a model was trained", name)
		}
	}
}

// If a trainer state contains a number that is not finite, reading it returns an error, and no
// model is trained from it.
func TestNaNInTrainerState(t *testing.T) {
	dir := t.TempDir()
	opt := oneGeneration(t, dir)
	path := opt.Folder.TrainerState(0)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	meta, tensors, err := safetensors.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tensors[1].Data[0] = float32(math.NaN())
	var spoilt bytes.Buffer
	// The file has the correct checksum, so only the NaN is wrong.
	if err := safetensors.Write(&spoilt, meta, tensors); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, spoilt.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	err = loop(t.Context(), dir, 1)
	if err == nil || !strings.Contains(err.Error(), path+": tensor") || !strings.Contains(err.Error(), "contains NaN") {
		t.Errorf("a NaN in a trainer's state: %v", err)
	}
	if _, err := os.Stat(opt.Folder.Model("000001")); err == nil {
		t.Error("a model was published")
	}
}

// If all games of a generation had been played before, its record contains no speeds of self-play.
func TestSpeedOfWhatWasPlayed(t *testing.T) {
	opt, err := tiny(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := train.Selfplay(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 {
		if err := r.Generation(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for g, want := range []bool{false, true} {
		text, err := os.ReadFile(opt.Folder.Record(g))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"selfplay_seconds", "games_per_second", "evaluations_per_second"} {
			if strings.Contains(string(text), key) != want {
				t.Errorf("the record of generation %d, whose games were played here: %v, is %s", g, want, text)
			}
		}
	}
}

// If a shard of an older generation is missing, no model is trained, and the error names the shard.
func TestMissingShardIsNamed(t *testing.T) {
	dir := t.TempDir()
	opt := oneGeneration(t, dir)
	gone := opt.Folder.Shard(0, 1)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	err := loop(t.Context(), dir, 1)
	if err == nil || !strings.Contains(err.Error(), gone) || !strings.Contains(err.Error(), "1 of the") {
		t.Errorf("error %v should name the shard %s", err, gone)
	}
	if _, err := os.Stat(opt.Folder.Model("000001")); err == nil {
		t.Error("a model was trained without it")
	}
}

// oneGeneration completes the first generation of a tiny run and returns the options of the run.
func oneGeneration(t *testing.T, dir string) train.Options {
	t.Helper()
	opt, err := tiny(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Generation(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return opt
}
