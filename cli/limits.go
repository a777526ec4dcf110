package cli

import (
	"runtime"

	"dojo.example/arena"
)

// Limits on what flags may ask for: well above what makes sense, and well
// below what a machine breaks under.
const (
	mostGames       = 10_000_000
	mostWorkers     = 4096
	mostPositions   = 1_000_000
	mostSimulations = arena.MostSimulations
)

// inRange reports a flag whose number is outside its range.
func inRange(flag string, n, least, most int) error {
	switch {
	case n < least:
		return usagef("%s %d is less than %d", flag, n, least)
	case n > most:
		return usagef("%s %d is more than %d", flag, n, most)
	}
	return nil
}

// checkWorkers checks --workers; 0 means one for each core.
func checkWorkers(n int) (int, error) {
	if n == 0 {
		return runtime.GOMAXPROCS(0), nil
	}
	return n, inRange("--workers", n, 1, mostWorkers)
}
