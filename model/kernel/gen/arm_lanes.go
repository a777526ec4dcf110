package main

// loadLanes loads the first one, two or three floats of a vector.
func (f *arm64) loadLanes(p gp, offset int, to vec, lanes gp) {
	f.moveLanes(lanes, "loaded",
		func(name string) { f.ins("%s %d(%v), F%d", name, offset, p, to) },
		func(third gp) {
			f.ins("ADD $%d, %v, %v", offset+8, p, third)
			f.ins("VLD1 (%v), V%d.S[2]", third, to)
		})
}

// storeLanes stores the first one, two or three floats of a vector.
func (f *arm64) storeLanes(from vec, p gp, offset int, lanes gp) {
	f.moveLanes(lanes, "stored",
		func(name string) { f.ins("%s F%d, %d(%v)", name, from, offset, p) },
		func(third gp) {
			f.ins("ADD $%d, %v, %v", offset+8, p, third)
			f.ins("VST1 V%d.S[2], (%v)", from, third)
		})
}

// moveLanes moves one float, or two, by the instruction that first is told, and the third, if
// there is one, by last. lanes is how many there are.
func (f *arm64) moveLanes(lanes gp, done string, first func(instruction string), last func(third gp)) {
	one, end := f.newLabel("one"), f.newLabel(done)
	third := f.gp()
	f.ins("TBZ $1, %v, %s", lanes, one)
	first("FMOVD")
	f.ins("TBZ $0, %v, %s", lanes, end)
	last(third)
	f.ins("JMP %s", end)
	f.label(one)
	first("FMOVS")
	f.label(end)
	f.release(third)
}
