package main

import (
	"dojo/internal/atomicfile"
	"dojo/internal/console"
)

// newBar begins a bar of total units of work on stderr.
func (a *app) newBar(total int, what string) *bar {
	return &bar{console.NewBar(a.stderr, total, what)}
}

type bar struct{ *console.Bar }

func (b *bar) set(done int, remark string) { b.Set(done, remark) }

func (b *bar) clear() { b.Clear() }

var (
	brief    = console.Brief
	diskFull = atomicfile.DiskFull
)
