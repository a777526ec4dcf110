// Package memory limits the memory of this process, and tells whether searches fit into the limit.
// The limit applies to all memory of the process. Most of it is for search trees. The rest is for
// the program, its models, and garbage that has not been collected yet.
package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// If the user sets no limit, each command of dojo uses one of these.
const (
	Some Size = 2 << 30       // for commands that people use next to other work; never more than Half
	Half Size = math.MaxInt64 // half of the memory of the machine or the container

	// Free is for commands that need most of their memory for other things than search trees. It
	// does not limit the process. It limits only the trees, to the same size as Half does.
	Free Size = 0
)

// These parts of the limit are not available to search trees.
const (
	program   = 128 << 20 // code, models and batches
	collector = 8         // 1/collector of the limit is for garbage that is not collected yet
)

var (
	limit atomic.Int64 // 0 until Allow is called

	environment = debug.SetMemoryLimit(-1) // value of the environment variable GOMEMLIMIT; math.MaxInt64 if it is not set
)

// Allow sets the memory limit of the process. said is the limit that the user has set, or 0 if the
// user has set none. Then the limit is GOMEMLIMIT or, if that is not set, usual, the usual limit of
// the command. Allow makes the garbage collector run often enough for the process to stay within
// the limit.
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
	debug.SetMemoryLimit(int64(said - said/16)) // leaves 1/16 for the program's code and the operating system, which the runtime does not count
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

// ForTrees returns the part of the memory limit that is for search trees, all of them together.
func ForTrees() Size {
	n := Limit()
	return max(n/4, n-n/collector-program)
}

// Check returns an error if search trees that need the given number of bytes do not fit into their
// part of the limit. The arguments what and args describe the searches in the error, in the form of
// fmt.Sprintf.
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

// Workers returns how many workers fit into memory, at most n, if each needs the given number of
// bytes. If not even one fits, it returns the error of Check. The arguments what and args describe
// the searches in this error.
func Workers(n int, each int64, what string, args ...any) (int, error) {
	if err := Check(each, what, args...); err != nil {
		return 0, err
	}
	return max(1, min(n, int(int64(ForTrees())/max(each, 1)))), nil
}
