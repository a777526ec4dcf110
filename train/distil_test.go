package train_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"dojo/data"
	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/model"
	"dojo/run"
	"dojo/train"
)

// distillation is a small one: of a teacher with opinions, and a run with
// positions of random games.
func distillation(t *testing.T) train.Distillation {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	n := model.Network{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 4, ValueFeatures: 16}.For(onitama.Classic.Spec)
	teacher := model.NewCheckpoint(model.Meta{Game: onitama.Classic.Name, SpecVersion: onitama.Classic.Version, Name: "teacher"}, n, rng)
	for _, p := range n.Params() {
		for i := range teacher.Tensors[p.Name] {
			teacher.Tensors[p.Name][i] += float32(rng.NormFloat64() * 0.15)
		}
	}
	folder := run.Folder(t.TempDir())
	var rows []data.Row
	for game := range 40 {
		s := onitama.Classic.Start(rng)
		var plies []data.Row
		for s.Outcome() == engine.Ongoing {
			legal := s.Legal(nil)
			a := legal[rng.IntN(len(legal))]
			plies = append(plies, data.Row{
				Run: "run", Game: int64(game), Ply: int32(len(plies)), Position: s.String(), Mover: int32(s.ToMove()), Action: int32(a),
				Policy: []data.Weight{{Action: int32(a), Weight: 1}}, Model: "uniform",
			})
			s = s.Play(a)
		}
		for i := range plies {
			plies[i].Outcome, plies[i].TurnsLeft = int32(s.Outcome().Value()), int32(len(plies)-i)
		}
		rows = append(rows, plies...)
	}
	if err := data.WriteShard(folder.Shard(0, 0), data.Provenance{Game: onitama.Classic.Name, SpecVersion: 1}, rows); err != nil {
		t.Fatal(err)
	}
	d := train.DefaultDistillation()
	d.Folder, d.Teacher, d.From, d.To, d.Workers = folder, teacher, onitama.Classic.Game(), onitama.Sparse.Game(), 2
	d.Network = model.Network{Channels: 64, PolicyPlanes: 16, ValuePlanes: 16, ValueFeatures: 8}.For(onitama.Sparse.Spec)
	d.Optimiser.Batch, d.Passes = 256, 4
	return d
}

// A student comes nearer to its teacher, whatever the number of workers.
func TestDistillation(t *testing.T) {
	d := distillation(t)
	var students []*model.Checkpoint
	for workers := 1; workers <= 2; workers++ {
		var notes []string
		d.Workers = workers
		d.Progress = func(stage string, total int) func(int, string) {
			return func(done int, note string) {
				if stage == "distil" {
					notes = append(notes, note)
				}
			}
		}
		s, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		students = append(students, s)
		if first, last := policyLoss(t, notes[0]), policyLoss(t, notes[len(notes)-1]); !(last < first) {
			t.Errorf("the policy's loss went from %v to %v", first, last)
		}
	}
	if !reflect.DeepEqual(students[0], students[1]) {
		t.Error("students of one and of two workers differ")
	}
	if s := students[0]; s.Check(onitama.Sparse.Spec) != nil || s.Parent != "teacher "+d.Teacher.Hash() {
		t.Errorf("the student is %+v", s.Meta)
	}
}

// policyLoss reads the loss out of a note of the stage distil.
func policyLoss(t *testing.T, note string) (loss float64) {
	t.Helper()
	if _, err := fmt.Sscanf(note, "policy %g", &loss); err != nil {
		t.Fatalf("note %q: %v", note, err)
	}
	return loss
}

func TestDistillationOfWhat(t *testing.T) {
	d := distillation(t)
	d.Progress = func(string, int) func(int, string) { return func(int, string) {} }
	d.From.Name = "chess"
	if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not chess") {
		t.Errorf("samples of another game: %v", err)
	}
	d.Folder = "nowhere"
	if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no samples") {
		t.Errorf("no samples: %v", err)
	}
}
