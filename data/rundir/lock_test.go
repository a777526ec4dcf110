package rundir_test

import (
	"errors"
	"os"
	"testing"

	"dojo.example/data/rundir"
)

// Only one process at a time holds the lock of the stages, or the lock of a particular shard. Any
// number of processes may play at the same time.
func TestLocks(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	stages, err := f.LockStages()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.LockStages(); !errors.Is(err, rundir.ErrLocked) {
		t.Errorf("the stages were locked twice: %v", err)
	}
	for range 2 {
		players, err := f.LockPlayers(t.Context())
		if err != nil {
			t.Fatalf("beside the stages and other players: %v", err)
		}
		defer players.Close()
	}
	claim, err := f.ClaimShard(3, 7)
	if claim == nil || err != nil {
		t.Fatalf("a shard that nobody has: %v", err)
	}
	if second, err := f.ClaimShard(3, 7); second != nil || err != nil {
		t.Errorf("a shard that another has: %v, %v", second, err)
	}
	if err := errors.Join(claim.Close(), stages.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := f.ClaimShard(3, 7)
	if again == nil || err != nil {
		t.Fatalf("a shard whose claim was given back: %v", err)
	}
	defer again.Close()
	stages, err = f.LockStages()
	if err != nil {
		t.Fatalf("the stages, given back: %v", err)
	}
	defer stages.Close()
}

// A published shard cannot be claimed, even after its lock file has been removed. DropClaims keeps
// the lock files of later generations.
func TestClaimOfPublished(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	players, err := f.LockPlayers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer players.Close()
	for _, g := range []int{0, 1, 2} {
		claim, err := f.ClaimShard(g, 0)
		if claim == nil || err != nil {
			t.Fatal(claim, err)
		}
		defer claim.Close()
	}
	if err := os.MkdirAll(f.Path("samples", "gen-000001"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Shard(1, 0), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.DropClaims(1); err != nil {
		t.Fatal(err)
	}
	if claim, err := f.ClaimShard(1, 0); claim != nil || err != nil {
		t.Errorf("a published shard was claimed: %v, %v", claim, err)
	}
	if claim, err := f.ClaimShard(2, 0); claim != nil || err != nil {
		t.Errorf("a claim of a later generation was dropped: %v, %v", claim, err)
	}
}

// Temporary files of shards remain as long as any process plays. When no process plays any more,
// the next process that starts to play removes them.
func TestTemporariesOfShards(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	first, err := f.LockPlayers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := f.Path("samples", "gen-000000", ".tmp-dojo-1")
	if err := os.MkdirAll(f.Path("samples", "gen-000000"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := f.LockPlayers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the temporary of a shard was removed while somebody played: %v", err)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third, err := f.LockPlayers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if _, err := os.Stat(path); err == nil {
		t.Error("the temporary of a shard stayed, though nobody played")
	}
}
