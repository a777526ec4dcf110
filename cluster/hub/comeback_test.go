package hub_test

import (
	"testing"

	cluster "dojo.example/cluster/hub"
)

// A worker that waits for a killed trainer exits when the trainer comes back, even if the run is
// already complete by then.
func TestComesBackComplete(t *testing.T) {
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub := resume(t, &opt, config, "")
	address, ended := hub.Address(), startWorkers(t, hub, 2)
	hub.Kill()
	hub, err = cluster.New(t.Context(), cluster.Options{Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: address, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	hub.Close(true)
	ended() // the test hangs here if a worker does not exit
}
