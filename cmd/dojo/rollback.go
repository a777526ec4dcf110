package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dojo/run"
)

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

// rolledBack tells that a run has gone back to an earlier generation, and why.
func (a *app) rolledBack(folder run.Folder, b *run.Rollback) {
	fmt.Fprintf(a.stderr, "the run goes back to generation %d\n", b.Generation)
	for _, e := range b.Wrong {
		fmt.Fprintf(a.stderr, "%s was wrong: its %s is %.12s…, and should be %.12s…\n", e.Worker, e.What(), e.Hash, e.Right)
	}
	fmt.Fprintf(a.stderr, `cut off: %s; the computer makes mistakes, or the program is not ours
undone: what was wrong of what came from there, and what was learnt from it
        (complete generations: %d before, %d now; shards of the next that are played again: %d)
%s has the details; the files that were undone lie in %s
`, strings.Join(b.Workers, ", "), b.Committed, min(b.Committed, b.Generation), len(b.Shards), folder.RollbackPath(b.Number), folder.Undone(b.Number))
}
