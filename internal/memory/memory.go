// Package memory limits the memory of this process, and checks whether searches fit into the limit.
// The limit covers all memory of the process. Most of it is available to search trees. The rest is
// reserved for the program, its models, and garbage that has not been collected yet.
package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// The usual limits: each command of dojo uses one of these if the user sets no limit.
const (
	Some Size = 2 << 30       // for commands used next to other work; never more than Half
	Half Size = math.MaxInt64 // half of the memory of the machine or the container

	// Free is for commands that need most of their memory for something other than search trees. It
	// does not limit the process, only the trees: they get as much as with Half.
	Free Size = 0
)

// These parts of the limit are reserved, and not available to search trees.
const (
	program   = 128 << 20 // code, models and batches
	collector = 8         // 1/8 of the limit, for garbage that has not been collected yet
)

var (
	limit atomic.Int64 // 0 until Allow is called

	environment = debug.SetMemoryLimit(-1) // value of GOMEMLIMIT; math.MaxInt64 if it is not set
)

// Allow sets the memory limit of the process. If said is not 0, it is the limit, set by the user.
// Otherwise the limit is GOMEMLIMIT or, if that is not set, usual (the command's usual limit).
// Allow makes the garbage collector run often enough to keep the process within the limit.
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
	debug.SetMemoryLimit(int64(said - said/16)) // leave 1/16 for the program's code and the operating system, which Go's runtime does not count
}

// half returns half of the memory of the machine or the container, or 2 GiB if that is unknown.
func half() Size {
	if n := machine(); n > 0 {
		return n / 2
	}
	return 2 << 30
}

// Limit returns how much memory the process may use.
func Limit() Size {
	if n := limit.Load(); n > 0 {
		return Size(n)
	}
	return half()
}

// ForTrees returns how much of the memory limit is available to all search trees together.
func ForTrees() Size {
	n := Limit()
	return max(n/4, n-n/collector-program)
}

// Check returns an error if search trees that need this number of bytes do not fit into the part of
// the limit that is available to them. what and args are arguments for fmt.Sprintf that describe
// these searches in the error.
func Check(need int64, what string, args ...any) error {
	if Size(need) <= ForTrees() {
		return nil
	}
	return fmt.Errorf("%s can need %v for search trees, but --memory %v leaves only %v for them; raise --memory, or use fewer simulations or workers",
		fmt.Sprintf(what, args...), Size(need), Limit(), ForTrees())
}

// Times returns n·bytes, or math.MaxInt64 if the product would overflow.
func Times(n int, bytes int64) int64 {
	if n > 0 && bytes > math.MaxInt64/int64(n) {
		return math.MaxInt64
	}
	return int64(n) * bytes
}

// Sum returns the sum of its arguments, or math.MaxInt64 if the sum would overflow.
func Sum(all ...int64) (sum int64) {
	for _, n := range all {
		if sum > math.MaxInt64-n {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

// Workers returns how many workers, at most n, fit into memory if the search trees of each need
// this number of bytes. If not even one fits, it returns the error of Check, in which what and args
// describe the searches.
func Workers(n int, each int64, what string, args ...any) (int, error) {
	if err := Check(each, what, args...); err != nil {
		return 0, err
	}
	return max(1, min(n, int(int64(ForTrees())/max(each, 1)))), nil
}
