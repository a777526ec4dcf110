package memory

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes. Users write it as 512MiB or 4GiB.
type Size int64

// units lists the units of sizes, largest first.
var units = []struct {
	name  string
	bytes Size
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String formats the size in the largest unit that does not exceed it, rounded up to one decimal
// place.
func (s Size) String() string {
	if s == math.MaxInt64 {
		return "more than any machine has"
	}
	for _, u := range units {
		if s >= u.bytes {
			x := math.Ceil(float64(s)/float64(u.bytes)*10) / 10
			return strconv.FormatFloat(x, 'f', -1, 64) + u.name
		}
	}
	return fmt.Sprintf("%d bytes", int64(s))
}

// ParseSize parses a size such as 512MiB or 1.5GiB. A number without a unit is in MiB.
func ParseSize(text string) (Size, error) {
	number, unit := text, Size(1<<20)
	for _, u := range units {
		if before, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = before, u.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if bytes := x * float64(unit); err == nil && bytes >= 1 && bytes < 1<<60 {
		return Size(bytes), nil
	}
	return 0, errors.New("write a size such as 512MiB or 4GiB")
}
