// Package memory knows how much memory this process may take, and whether searches fit into it.
// The limit counts all that the process takes. Most of it is for the trees of searches; the rest is
// for the program, its models and what the garbage collector has not collected yet.
package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// Usual limits of a verb whose user gives none.
const (
	Some Size = 2 << 30       // for verbs that people use beside other work; at most Half
	Half Size = math.MaxInt64 // half of the machine's memory, or of its container's

	// Free is Half for what needs other memory than that of trees: it limits the trees only.
	Free Size = 0
)

// Shares of the limit that are not for trees.
const (
	program   = 128 << 20 // code, models, batches
	collector = 8         // one part of so many is for what is not collected yet
)

var (
	limit atomic.Int64 // 0: Allow was not called

	environment = debug.SetMemoryLimit(-1) // GOMEMLIMIT; math.MaxInt64 without it
)

// Allow sets the limit: to what the user says or, if that is 0, to GOMEMLIMIT or the usual limit of the
// verb. The garbage collector then works so often that the process keeps to it.
func Allow(said, usual Size) {
	switch {
	case said > 0:
	case environment < math.MaxInt64:
		said = Size(environment)
	case usual == Free:
		limit.Store(int64(half()))
		debug.SetMemoryLimit(environment)
		return
	default:
		said = min(usual, half())
	}
	limit.Store(int64(said))
	debug.SetMemoryLimit(int64(said - said/16)) // it does not count the program's code and what the system needs
}

// half returns half of the memory of the machine or its container, 2 GiB if that is not known.
func half() Size {
	if n := machine(); n > 0 {
		return n / 2
	}
	return 2 << 30
}

// Limit returns how much memory the process may take.
func Limit() Size {
	if n := limit.Load(); n > 0 {
		return Size(n)
	}
	return half()
}

// ForTrees returns the part of the limit that the trees of all searches may take together.
func ForTrees() Size {
	n := Limit()
	return max(n/4, n-n/collector-program)
}

// Check returns an error if what needs more memory than trees may take. The arguments are those of
// fmt.Sprintf.
func Check(need int64, what string, args ...any) error {
	if Size(need) <= ForTrees() {
		return nil
	}
	return fmt.Errorf("%s can need %v for search trees; --memory %v leaves %v for them: raise it, or take fewer simulations or workers",
		fmt.Sprintf(what, args...), Size(need), Limit(), ForTrees())
}

// Times returns n·bytes, or math.MaxInt64 if that is too large.
func Times(n int, bytes int64) int64 {
	if n > 0 && bytes > math.MaxInt64/int64(n) {
		return math.MaxInt64
	}
	return int64(n) * bytes
}

// Sum returns the sum of numbers of bytes, or math.MaxInt64 if that is too large.
func Sum(all ...int64) (sum int64) {
	for _, n := range all {
		if sum > math.MaxInt64-n {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

// Workers returns how many of n workers fit, if each needs so many bytes: an error if not even one
// does.
func Workers(n int, each int64, what string, args ...any) (int, error) {
	if err := Check(each, what, args...); err != nil {
		return 0, err
	}
	return max(1, min(n, int(int64(ForTrees())/max(each, 1)))), nil
}
