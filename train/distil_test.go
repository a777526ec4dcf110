package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dojo.example/internal/slow"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/games"
	"dojo.example/internal/detmath"
	"dojo.example/model"
	"dojo.example/train"
)

// networks holds a small network of each kind for tic-tac-toe.
var networks = map[string]model.Network{
	model.KindResidual: model.Network{Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 4, ValueFeatures: 16}}.For(tictactoe.Rules.Spec),
	model.KindSparse:   model.Network{Body: model.Sparse{Columns: 32, Policy: 32, Value: 16, Hidden: 16}}.For(tictactoe.Rules.Spec),
}

// opinionated returns an untrained teacher whose policies are far from uniform and whose values are
// far from 0.
func opinionated(kind string) *model.Checkpoint {
	rng := rand.New(rand.NewPCG(1, 1))
	n := networks[kind]
	teacher := model.NewCheckpoint(model.Meta{Game: tictactoe.Rules.Name, SpecVersion: tictactoe.Rules.Version, Name: "teacher"}, n, rng)
	for _, p := range n.Params() {
		for i := range teacher.Tensors[p.Name] {
			teacher.Tensors[p.Name][i] += float32(rng.NormFloat64() * 0.2)
		}
	}
	return teacher
}

// distillation returns the settings of a short distillation with a teacher of the given kind.
func distillation(t *testing.T, from string) train.Distillation {
	t.Helper()
	d := train.DefaultDistillation()
	d.Teacher, d.Game, d.Network = opinionated(from), tictactoe.Rules.Game(), networks[model.KindSparse]
	d.Game.Symmetries = nil // off: the outputs of an untrained teacher are not symmetric
	var err error
	if d.Roots, err = train.PlayedRoots(t.Context(), d.Teacher, d.Game, 2000, 1, 2); err != nil {
		t.Fatal(err)
	}
	d.Optimiser.Batch, d.Positions, d.Rate, d.Workers = 128, 128*400, 0.01, 2
	return d
}

// divergence measures how much a student's outputs differ from its teacher's outputs, in positions
// of random games. policy is the mean Kullback-Leibler divergence in nats. value is the mean
// absolute difference of the values.
func divergence(t *testing.T, teacher, student *model.Checkpoint) (policy, value float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	n := 0
	for range 40 {
		for p := tictactoe.Rules.Game().Start(rng); p.Outcome() == engine.Ongoing; n++ {
			a, v := answers(t, teacher, p)
			b, w := answers(t, student, p)
			for i := range a {
				policy += a[i] * math.Log(a[i]/b[i])
			}
			value += math.Abs(float64(v - w))
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
	}
	return policy / float64(n), value / float64(n)
}

// answers returns a network's policy for the legal actions of a position, and its value.
func answers(t *testing.T, c *model.Checkpoint, p engine.Position) (policy []float64, value float32) {
	t.Helper()
	e := model.NewNet(c)
	b := model.NewBatch(e)
	if err := b.Ask(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, logit := range b.Logits {
		policy = append(policy, detmath.Exp(float64(logit)))
		sum += policy[len(policy)-1]
	}
	for i := range policy {
		policy[i] /= sum
	}
	return policy, b.Values[0]
}

// A student learns most of what its teacher knows, from teachers of both kinds. The student does
// not depend on the number of workers.
func TestDistillation(t *testing.T) {
	slow.Test(t, "distils a network")
	for _, from := range []string{model.KindResidual, model.KindSparse} {
		t.Run(from, func(t *testing.T) {
			d := distillation(t, from)
			student, err := d.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fresh := model.NewCheckpoint(model.Meta{}, d.Network, rand.New(rand.NewPCG(1, 2)))
			policy, value := divergence(t, d.Teacher, student)
			policy0, value0 := divergence(t, d.Teacher, fresh)
			if policy > 0.3*policy0 || value > 0.4*value0 {
				t.Errorf("the student is %.3f nats and %.3f from its teacher, an untrained network %.3f and %.3f", policy, value, policy0, value0)
			}
			if err := student.Check(d.Game.Spec); err != nil || len(student.Ranges) == 0 || student.Step != 400 || student.Parent != "teacher" ||
				!strings.HasPrefix(student.Origin, "distilled from model teacher, hash "+d.Teacher.Hash()) {
				t.Errorf("the student is %+v with %d ranges, %v", student.Meta, len(student.Ranges), err)
			}
			d.Workers = 1
			if again, err := d.Run(t.Context()); err != nil || !reflect.DeepEqual(again, student) {
				t.Errorf("students of two workers and of one differ, %v", err)
			}
		})
	}
}

// An interrupted distillation continues and gives the same student. Run refuses the state file of
// another distillation.
func TestDistillationGoesOn(t *testing.T) {
	d := distillation(t, model.KindResidual)
	d.Positions = 128 * 30
	want, err := d.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.State = filepath.Join(t.TempDir(), "student.partial")
	stop, steps := 0, 0
	for _, stop = range []int{7, 19, 1000} {
		ctx, cancel := context.WithCancel(t.Context())
		d.Progress = func(done, _ int, _ string) {
			if steps++; done == stop {
				cancel()
			}
		}
		got, err := d.Run(ctx)
		cancel()
		if stop < 1000 && !errors.Is(err, context.Canceled) || stop == 1000 && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Fatalf("stopped at %d: %v; the student is the same: %v", stop, err, reflect.DeepEqual(got, want))
		}
	}
	if steps != 30 {
		t.Errorf("%d steps were taken in all, want 30", steps)
	}
	d.Seed++
	if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "student.partial: it belongs to another distillation; remove it") {
		t.Errorf("the state of another distillation: %v", err)
	}
	if err := os.WriteFile(d.State, []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "remove it to start again") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a damaged state: %v", err)
	}
}

// RunRoots returns the newest positions of a run, without duplicates. Its errors say what is wrong
// with the run.
func TestRunRoots(t *testing.T) {
	game := tictactoe.Rules.Game()
	f := rundir.Folder(t.TempDir())
	row := func(position string) data.Row {
		return data.Row{Run: "run", Position: position, Policy: []data.Weight{{Action: 0, Weight: 1}}, Model: "uniform", TurnsLeft: 1}
	}
	write := func(generation int, positions ...string) {
		var rows []data.Row
		for i, p := range positions {
			r := row(p)
			r.Game = int64(i)
			rows = append(rows, r)
		}
		if err := data.WriteShard(f.Shard(generation, 0), data.Provenance{Game: game.Name, SpecVersion: game.Version, Generation: generation}, rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := train.RunRoots(t.Context(), f, game, 10); err == nil || !strings.Contains(err.Error(), "has no samples") {
		t.Errorf("an empty run: %v", err)
	}
	write(0, ".........", "x........", "xo.......")
	write(1, ".........", "....x....")
	roots, err := train.RunRoots(t.Context(), f, game, 3)
	if got := fmt.Sprint(roots.Positions); err != nil || got != "[......... ....x.... x........]" {
		t.Errorf("the newest three are %s, %v", got, err)
	}
	write(2, "xxx.oo...")
	if _, err := train.RunRoots(t.Context(), f, game, 3); err == nil || !strings.Contains(err.Error(), "the game is over") {
		t.Errorf("a position that is over: %v", err)
	}
	game.Version++
	if _, err := train.RunRoots(t.Context(), f, game, 3); err == nil || !strings.Contains(err.Error(), "is for tictactoe version") {
		t.Errorf("another version: %v", err)
	}
	if _, err := (train.Distillation{}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no positions") {
		t.Errorf("nothing to learn from: %v", err)
	}
}

// In every game, networks of both kinds can be teachers and students.
func TestDistillationOfEveryGame(t *testing.T) {
	for _, game := range games.All {
		d := train.DefaultDistillation()
		n := model.Network{Body: model.Residual{Channels: 16, PolicyPlanes: 2, ValuePlanes: 1, ValueFeatures: 8}}.For(game.Spec)
		d.Teacher = model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "teacher"}, n, rand.New(rand.NewPCG(1, 1)))
		d.Game, d.Workers, d.Positions, d.Optimiser.Batch = game.Game.Game, 2, 128, 64
		for kind, sizes := range networks {
			d.Network = sizes.For(game.Spec)
			var err error
			if d.Roots, err = train.PlayedRoots(t.Context(), d.Teacher, d.Game, 100, 1, 2); err != nil {
				t.Fatal(err)
			}
			student, err := d.Run(t.Context())
			if err == nil {
				err = student.Check(game.Spec)
			}
			if err != nil || student.Step != 2 || len(student.Ranges) == 0 {
				t.Fatalf("%s, %s from %s: %v", game.Name, kind, d.Teacher.Sizes(), err)
			}
			d.Teacher = student // the student becomes the teacher of the next case
		}
	}
}
