package rundir_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// Refuse rejects a path that belongs to a run, in whatever way the path is written and whichever
// links lead there. It accepts other paths, even in the run's folder.
func TestRefuse(t *testing.T) {
	top := t.TempDir()
	folder := rundir.Folder(filepath.Join(top, "runs", "x"))
	if err := folder.Begin([]byte("game: tictactoe\n"), nil); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(top, "disk") // holds the gates of the run; the run has a link to it
	for _, dir := range []string{elsewhere, filepath.Join(top, "own"), folder.Path("mine", "models")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(folder.Path("gates")); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{
		folder.Path("gates"):               elsewhere,
		filepath.Join(top, "to-models"):    folder.Path("models"),
		filepath.Join(top, "dangling"):     "runs/x/best",
		filepath.Join(top, "through"):      "to-models/../ledger.jsonl",
		filepath.Join(top, "own", "chain"): "../dangling",
		filepath.Join(top, "circle"):       "circle",
		filepath.Join(top, "free"):         "own/free",
		folder.Path("way-out"):             "../../own",
	}
	if runtime.GOOS == "windows" { // ordinary users of Windows may not create links
		links = nil
	}
	for at, to := range links {
		if err := os.Symlink(to, at); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(folder.Path("models"))
	own := []string{
		folder.ConfigPath(), folder.Solved(), folder.Path("solved.jsonl", ""), folder.Metrics(), folder.Path("events.out.tfevents.dojo"), folder.Path("best"),
		folder.Path("ledger.jsonl"), folder.Path("lock"), folder.Path("locks", "mine"), folder.Path("models", "mine", "deep"),
		folder.Path("samples", "mine"), folder.Path("trainer"), folder.Path("generations", "x"), folder.Path("students", "x"),
		folder.Path("rollbacks", "x"), folder.Path("cluster", "x"), folder.Path("gates", "x"), folder.Path("BEST"), folder.Path("Models", "x"),
		folder.Path("mine") + "/../solved.jsonl", "mine", "./lad.jsonl", "../ledger.jsonl", "../mine/../best",
	}
	if links != nil {
		own = append(own, top+"/to-models/x", top+"/to-models/../best", top+"/dangling", top+"/through", top+"/own/chain")
	}
	// On Windows, a path can have a drive but no root, or a root but no drive.
	if volume := filepath.VolumeName(top); volume != "" {
		own = append(own, volume+`..\best`, strings.TrimPrefix(folder.Path("best"), volume))
	}
	for _, path := range own {
		if err := rundir.Refuse(path); err == nil || !strings.Contains(err.Error(), "belongs to the run "+string(folder)) {
			t.Errorf("%s: error %v, want that it belongs to the run", path, err)
		}
	}
	for _, path := range []string{
		folder.Path("bot"), folder.Path("mine", "best"), folder.Path("mine", "models", "x"), "../bot", "../../best", top + "/best",
		top + "/free", top + "/none/such/models/x", folder.Path("way-out", "best"), top + "/own/../best", "/dev/stdout",
	} {
		if err := rundir.Refuse(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := rundir.Refuse(top + "/circle"); links != nil && (err == nil || !strings.Contains(err.Error(), "too many symbolic links")) {
		t.Errorf("a link to itself: %v", err)
	}
	for path, says := range map[string]string{string(folder): "holds a run", folder.Path("models", "sweep"): "belongs to the run", folder.Path("mine"): ""} {
		if err := rundir.RefuseFolder(path); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("the folder %s: %v, want %q", path, err, says)
		}
	}
}

// Refuse rejects every file that a run has after training.
func TestOwnNamesAreComplete(t *testing.T) {
	folder := rundir.Folder(filepath.Join(t.TempDir(), "x"))
	if err := folder.Begin([]byte("game: tictactoe\n"), nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(string(folder))
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{
		folder.ConfigPath(), folder.Model("000000"), folder.TrainerState(0), folder.Gate(0), folder.Record(0), folder.Metrics(), folder.Solved(),
		folder.Path("events.out.tfevents.dojo"), folder.Path("students", "hash-sparse.safetensors"), folder.Samples(0), folder.Shard(0, 0), folder.ReturnPath(0), folder.Path(rundir.WorkersPath),
	}
	for _, e := range entries {
		paths = append(paths, folder.Path(e.Name()))
	}
	for _, path := range paths {
		if rundir.Refuse(path) == nil {
			t.Errorf("%s is not the run's own", path)
		}
	}
}
