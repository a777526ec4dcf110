// Package memory knows how much memory this process may use, and whether searches fit into it. The
// limit applies to all memory of the process. Most of it is for search trees. The rest is for the
// program, its models, and garbage that has not been collected yet.
package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// These are the usual limits of a verb, which apply if the user gives none.
const (
	Some Size = 2 << 30       // for verbs that people use next to other work; at most Half
	Half Size = math.MaxInt64 // half of the memory of the machine or the container

	// Free is Half for verbs that mainly need memory for other things than search trees: it limits
	// only the trees.
	Free Size = 0
)

// These shares of the limit are not for trees.
const (
	program   = 128 << 20 // code, models and batches
	collector = 8         // 1/collector of the limit is for garbage that is not collected yet
)

var (
	limit atomic.Int64 // 0 before Allow is called

	environment = debug.SetMemoryLimit(-1) // value of GOMEMLIMIT; math.MaxInt64 if it is not set
)

// Allow sets the memory limit of the process. The limit is said, the user's choice, or if that is
// 0, GOMEMLIMIT or the verb's usual limit. Allow makes the garbage collector run often enough for
// the process to stay within the limit.
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
	debug.SetMemoryLimit(int64(said - said/16)) // the runtime's limit does not include the program's code and the system's needs
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

// ForTrees returns the part of the limit that all search trees together may use.
func ForTrees() Size {
	n := Limit()
	return max(n/4, n-n/collector-program)
}

// Check returns an error if need is more bytes than the trees may use. what and args are formatted
// as by fmt.Sprintf and name the searches in the error.
func Check(need int64, what string, args ...any) error {
	if Size(need) <= ForTrees() {
		return nil
	}
	return fmt.Errorf("%s can need %v for search trees, but --memory %v leaves only %v for them; raise --memory, or use fewer simulations or workers",
		fmt.Sprintf(what, args...), Size(need), Limit(), ForTrees())
}

// Times returns n·bytes, or math.MaxInt64 if that would overflow.
func Times(n int, bytes int64) int64 {
	if n > 0 && bytes > math.MaxInt64/int64(n) {
		return math.MaxInt64
	}
	return int64(n) * bytes
}

// Sum returns the sum of numbers of bytes, or math.MaxInt64 if that would overflow.
func Sum(all ...int64) (sum int64) {
	for _, n := range all {
		if sum > math.MaxInt64-n {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

// Workers returns how many of n workers fit into memory if each needs the given number of bytes. It
// returns an error if not even one fits.
func Workers(n int, each int64, what string, args ...any) (int, error) {
	if err := Check(each, what, args...); err != nil {
		return 0, err
	}
	return max(1, min(n, int(int64(ForTrees())/max(each, 1)))), nil
}
