package hub_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A mutant is a deliberate mistake in the program: in one file, the text in new replaces the text
// in old.
type mutant struct {
	what      string
	file      string // path of the file, relative to the root of the repository
	old, new  string
	invariant string // the name of the invariant that the mistake violates
	liar      bool   // the mutant has an effect only if a worker lies
}

// mutants lists mistakes that a programmer could make. TestMutants checks that the simulation
// detects each of them.
var mutants = []mutant{
	{"two results that differ are taken for equal", "data/audit/audit.go", "case bytes.Equal(stored, content):", "case true:", "the run", true},
	{"the stored result counts as right", "data/audit/audit.go", "right, err = a.Play(ctx, number)", "right = stored", "the run is the same as alone", true},
	{"who was right is cut off", "data/audit/audit.go", "if !bytes.Equal(sent, right) {", "if right = append(right, 0); true {", "nobody honest is found guilty", true},
	{"a generation is complete before what was picked is verified", "data/audit/audit.go", "return a.disputes == 0 && len(a.unsettled()) == 0, a.doubt", "return true, a.doubt", "the run is the same as alone", true},
	{"the trainer does not do its share of checks", "data/audit/audit.go", "if (who == Anybody || q.who == who) && !busy(n)", "if q.who == who && who != Trainer && !busy(n)", "the run ends", false},
	{"no result is picked", "data/audit/audit.go", "e.Picked = a.Crowd.Picks(a.share(from), e)", "e.Picked = false", "the run is the same as alone", true},
	{"who is cut off is let in again", "cluster/hub/hello.go", "h.refused[rundir.KeyOf(worker)] = why", "_ = why", "who is cut off hands in nothing more", true},
	{"a wrong result is not taken back", "train/back.go", "if !r.ledger.Doubts() {", "if true {", "only true shards are trained on", true},
	{"the last shard is not awaited", "cluster/hub/shards.go", "l.folder.Missing(l.job.Generation, l.job.Shards())", "l.folder.Missing(l.job.Generation, l.job.Shards()-1)", "the trainer goes on", false},
	{"the last task is given to nobody", "cluster/hub/tasks.go", "	return all\n}\n\n// free", "	return all[:max(0, len(all)-1)]\n}\n\n// free", "the run ends", false},
	{"workers play the games of another generation", "cluster/worker/executors.go", "opt.Job(spec.Generation,", "opt.Job(spec.Generation+1,", "nobody honest is found guilty", false},
	{"the players of a gate are swapped at workers", "cluster/worker/executors.go", "spec.Models, models)", "spec.Models, [2]model.Evaluator{models[1], models[0]})", "honest workers are let in", false},
	{"workers get the same model twice for a gate", "cluster/hub/pairs.go", "Models: names}, files)", "Models: names}, [2][]byte{files[0], files[0]})", "honest workers are let in", false},
	{"two pairs of a gate are mixed up", "cluster/hub/pairs.go", "l.finish(pair, games)", "l.finish(pair^1, games)", "the run is the same as alone", false},
	{"workers play without the network", "cluster/worker/executors.go", "if file == nil {", "if file == nil || opt.Name != \"\" {", "nobody honest is found guilty", false},
	{"a hub that does not answer is given up", "cluster/worker/worker.go", "case ctx.Err() != nil:\n\t\t\treturn context.Cause(ctx)", "case true:\n\t\t\treturn err", "honest workers are let in", false},
	{"a result for another task is stored", "data/audit/audit.go", "if err := a.Store.Write(number, content); err != nil {", "if err := a.Store.Write(number/2*2, content); err != nil {", "the trainer goes on", false},
	{"the trainer forgets the generation's shards", "cluster/hub/shards.go", "absent, err := l.folder.Missing(l.job.Generation, l.job.Shards())", "absent, err := []int(nil), error(nil)", "the trainer goes on", false},
	{"two shards are mixed up", "cluster/worker/executors.go", "io.Send(p.Shard, content", "io.Send(p.Shard^1, content", "the run ends", false},
}

// The simulation detects each mistake in the list mutants. Each mistake is made in a copy of the
// file, and the go command compiles the copy instead of the original.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
		if err != nil || strings.Count(string(text), m.old) != 1 {
			t.Errorf("%s: %s has %q not once, %v", m.what, m.file, m.old, err)
		}
	}
	only := os.Getenv("DOJO_MUTANTS")
	if only == "" {
		t.Skip("left out: it compiles the program nineteen times, with a mistake each; to run it: DOJO_MUTANTS=1 go test -run TestMutants ./cluster/hub")
	}
	for _, m := range mutants {
		t.Run(m.what, func(t *testing.T) {
			path := filepath.Join(root, filepath.FromSlash(m.file))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			wrong, overlay := filepath.Join(dir, "wrong.go"), filepath.Join(dir, "overlay.json")
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: wrong}})
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string]string{wrong: strings.Replace(string(text), m.old, m.new, 1), overlay: string(replace)} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-vet=off", "-v", "-run=^TestSimulation$", ".")
			cmd.Env = append(os.Environ(), "DOJO_SEED=1", "DOJO_SIMULATE=1m")
			if m.liar {
				cmd.Env = append(cmd.Env, "DOJO_LIAR=1")
			}
			out, err := cmd.CombinedOutput()
			switch report := string(out); {
			case err == nil:
				t.Error("no invariant notices it")
			case !strings.Contains(report, "WRONG: "):
				t.Errorf("it is noticed otherwise:\n%s", report[max(0, len(report)-3000):])
			default:
				_, first, _ := strings.Cut(report, "WRONG: ")
				first, _, _ = strings.Cut(first, "\n")
				t.Log(first)
				if !strings.Contains(report, "WRONG: "+m.invariant) {
					t.Errorf("%q is not the invariant that notices it", m.invariant)
				}
			}
		})
	}
}
