package rundir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"dojo.example/internal/atomicfile"

	"github.com/gofrs/flock"
)

// ErrLocked means that another process works on the run.
var ErrLocked = errors.New("another process is working on this run")

// A Lock is held by this process until it is closed, or dies. A run has four
// kinds:
//
//	lock                                the stages: one process trains, plays the match, commits
//	locks/gen-000012-shard-000003       a shard: one process plays its games
//	locks/players                       shared by all who play; who has it alone may tidy up behind the dead
//	locks/solved                        solved.jsonl: one process changes it
//
// A process needs no lock to read.
type Lock = flock.Flock

// LockStages locks the run for the one process that trains and commits, and
// makes the run's folders. Another one is [ErrLocked]. Temporaries that killed
// processes left are removed.
func (f Folder) LockStages() (*Lock, error) {
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(f.Path("lock"))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, LockError(err)
	case !ok:
		return nil, ErrLocked
	}
	if err := f.tidy(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// tidy makes the folders and removes the temporaries of the stages.
func (f Folder) tidy() error {
	if err := f.makeFolders(); err != nil {
		return err
	}
	for _, name := range []string{"", "models", "trainer", "gates", "generations"} {
		if err := atomicfile.Clean(f.Path(name), nil); err != nil {
			return err
		}
	}
	return nil
}

// retry is how often a process asks for a lock that another holds for a moment.
const retry = 20 * time.Millisecond

// LockPlayers joins the processes that play games of the run. The first one
// removes the temporaries of shards that killed processes left.
func (f Folder) LockPlayers(ctx context.Context) (*Lock, error) {
	if err := f.makeFolders(); err != nil {
		return nil, err
	}
	lock := flock.New(f.Path("locks", "players"))
	if alone, err := lock.TryLock(); err != nil {
		return nil, LockError(err)
	} else if alone {
		if err := errors.Join(f.cleanSamples(), lock.Unlock()); err != nil {
			return nil, err
		}
	}
	if ok, err := lock.TryRLockContext(ctx, retry); !ok {
		return nil, errors.Join(LockError(err), lock.Close())
	}
	return lock, nil
}

// LockError adds to the error of a lock what to do about a file system that has no locks.
func LockError(err error) error {
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS):
		return fmt.Errorf("lock: the file system has no locks (%w); mount it with locks (NFS without the option nolock), or put the folder on a local disk", err)
	}
	return fmt.Errorf("lock: %w", err)
}

// LockPlayersAlone waits until nobody plays games of the run, and keeps others from it.
func (f Folder) LockPlayersAlone(ctx context.Context) (*Lock, error) {
	return f.lockAlone(ctx, "players")
}

// lockAlone waits for a lock of the folder locks.
func (f Folder) lockAlone(ctx context.Context, name string) (*Lock, error) {
	lock := flock.New(f.Path("locks", name))
	if ok, err := lock.TryLockContext(ctx, retry); !ok {
		return nil, errors.Join(LockError(err), lock.Close())
	}
	return lock, nil
}

// cleanSamples removes the temporaries of shards.
func (f Folder) cleanSamples() error {
	generations, err := numbered(f.Path("samples"), "gen-", "")
	for _, g := range generations {
		err = errors.Join(err, atomicfile.Clean(f.Samples(g), nil))
	}
	return err
}

// ClaimShard locks a shard for the process that plays it. It returns nil where
// another process has it, or where the shard is published.
func (f Folder) ClaimShard(generation, shard int) (*Lock, error) {
	lock := flock.New(f.Path("locks", fmt.Sprintf("gen-%06d-shard-%06d", generation, shard)))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(LockError(err), lock.Close())
	}
	// The process that had the lock before may have published the shard.
	if _, err := os.Stat(f.Shard(generation, shard)); err == nil {
		return nil, lock.Close()
	}
	return lock, nil
}

// DropClaims removes the locks of the shards of a generation and of those
// before it. All of these must be published, so that a process that claims one
// afterwards finds it done.
func (f Folder) DropClaims(generation int) error {
	entries, err := os.ReadDir(f.Path("locks"))
	if err != nil {
		return fmt.Errorf("drop claims: %w", err)
	}
	for _, e := range entries {
		if e.Name() < fmt.Sprintf("gen-%06d-", generation+1) {
			// Windows does not remove a file that another process has open. It
			// does no harm, and goes with the next generation.
			_ = os.Remove(f.Path("locks", e.Name()))
		}
	}
	return nil
}
