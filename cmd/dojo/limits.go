package main

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"time"

	"dojo/arena"

	"github.com/spf13/pflag"
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

// checkWorkers checks --workers; 0 stands for one a core.
func checkWorkers(n int) (int, error) {
	if n == 0 {
		return runtime.GOMAXPROCS(0), nil
	}
	return n, inRange("--workers", n, 1, mostWorkers)
}

// A timeLimit is the value of a flag for a time; see timeFlag.
type timeLimit time.Duration

// timeFlag adds a flag for a time, which must be above 0 where it is given. Without the flag the
// time is usual; 0 stands for no limit, or what usage says.
func timeFlag(flags *pflag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	flags.Var((*timeLimit)(to), name, usage)
}

// Set reads a time; see pflag.Value and flagError.
func (l *timeLimit) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil && d <= 0 {
		err = errors.New("it is not above 0")
	}
	if err == nil {
		*l = timeLimit(d)
	}
	return err
}

// String is the time as it is typed, "" for 0, which help texts do not show as a default.
func (l *timeLimit) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// Type is what help texts call the value; see pflag.Value.
func (l *timeLimit) Type() string { return "duration" }

// A percentage is a share from 0 to 1 as a flag: "2%", "0.5%".
type percentage struct {
	share float64
	given bool // by the flag; false for its default
}

// String is the share as it is typed; see pflag.Value.
func (p *percentage) String() string {
	return strconv.FormatFloat(p.share*100, 'g', -1, 64) + "%"
}

// Set reads a share; see pflag.Value.
func (p *percentage) Set(text string) error {
	number, ok := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(x >= 0 && x <= 100) {
		return errors.New("a share is written like 2% or 0.5%, and is at most 100%")
	}
	*p = percentage{share: x / 100, given: true}
	return nil
}

// Type is what help texts call the value; see pflag.Value.
func (p *percentage) Type() string { return "percent" }
