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

// ErrLocked means that another process is working on the run.
var ErrLocked = errors.New("another process is working on this run")

// A Lock is held until the process closes it or dies. A run has four kinds of lock files:
//
//	lock                                the stages: one process trains, plays the gate and commits
//	locks/gen-000012-shard-000003       a shard: one process plays its games
//	locks/players                       shared by all processes that play; held exclusively to clean up
//	locks/solved                        solved.jsonl: one process changes the file
//
// Processes that only read take no lock.
type Lock = flock.Flock

// LockStages locks the stages of the run: only one process at a time trains, plays the gate and
// commits generations. LockStages creates the run's folders and removes temporary files that killed
// processes left. If another process has the lock, the error is [ErrLocked].
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

// tidy creates the run's folders. It removes temporary files, except files of shards.
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

// retry is the interval between attempts to get a lock that another process holds briefly.
const retry = 20 * time.Millisecond

// LockPlayers takes a shared lock. Every process that plays games of the run holds it. The first
// process that takes it also removes temporary shard files that killed processes left.
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

// LockError adds an explanation to an error from locking. If the file system does not support
// locks, the message says what to do.
func LockError(err error) error {
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS):
		return fmt.Errorf("lock: the file system has no locks (%w); mount it with locks (NFS without the option nolock), or put the folder on a local disk", err)
	}
	return fmt.Errorf("lock: %w", err)
}

// LockPlayersAlone waits until no process plays games of the run. Until the lock is closed, no
// process can start to play.
func (f Folder) LockPlayersAlone(ctx context.Context) (*Lock, error) {
	return f.lockAlone(ctx, "players")
}

// lockAlone waits for the exclusive lock on the file called name in the folder locks.
func (f Folder) lockAlone(ctx context.Context, name string) (*Lock, error) {
	lock := flock.New(f.Path("locks", name))
	if ok, err := lock.TryLockContext(ctx, retry); !ok {
		return nil, errors.Join(LockError(err), lock.Close())
	}
	return lock, nil
}

// cleanSamples removes temporary shard files.
func (f Folder) cleanSamples() error {
	generations, err := numbered(f.Path("samples"), "gen-", "")
	for _, g := range generations {
		err = errors.Join(err, atomicfile.Clean(f.Samples(g), nil))
	}
	return err
}

// ClaimShard locks a shard for this process, which will play the games of the shard. It returns nil
// if another process has locked the shard, or if the shard is already published.
func (f Folder) ClaimShard(generation, shard int) (*Lock, error) {
	lock := flock.New(f.Path("locks", fmt.Sprintf("gen-%06d-shard-%06d", generation, shard)))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(LockError(err), lock.Close())
	}
	// A process that held the lock earlier may have published the shard.
	if _, err := os.Stat(f.Shard(generation, shard)); err == nil {
		return nil, lock.Close()
	}
	return lock, nil
}

// DropClaims removes lock files of shards: the files of the given generation and of all earlier
// generations. All these shards must be published, so that ClaimShard refuses them even without a
// lock file.
func (f Folder) DropClaims(generation int) error {
	entries, err := os.ReadDir(f.Path("locks"))
	if err != nil {
		return fmt.Errorf("remove old locks: %w", err)
	}
	for _, e := range entries {
		if e.Name() < fmt.Sprintf("gen-%06d-", generation+1) {
			// Ignore the error. Windows does not remove a file that another process has open, but
			// the file is harmless, and the next generation tries again to remove it.
			_ = os.Remove(f.Path("locks", e.Name()))
		}
	}
	return nil
}
