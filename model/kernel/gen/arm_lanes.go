package main

// loadLanes loads the first one, two or three floats of a vector.
func (f *arm64) loadLanes(p gp, offset int, to vec, lanes gp) {
	one, end := f.newLabel("one"), f.newLabel("loaded")
	third := f.gp()
	f.ins("TBZ $1, %v, %s", lanes, one)
	f.ins("FMOVD %d(%v), F%d", offset, p, to)
	f.ins("TBZ $0, %v, %s", lanes, end)
	f.ins("ADD $%d, %v, %v", offset+8, p, third)
	f.ins("VLD1 (%v), V%d.S[2]", third, to)
	f.ins("JMP %s", end)
	f.label(one)
	f.ins("FMOVS %d(%v), F%d", offset, p, to)
	f.label(end)
	f.release(third)
}

// storeLanes stores the first one, two or three floats of a vector.
func (f *arm64) storeLanes(from vec, p gp, offset int, lanes gp) {
	one, end := f.newLabel("one"), f.newLabel("stored")
	third := f.gp()
	f.ins("TBZ $1, %v, %s", lanes, one)
	f.ins("FMOVD F%d, %d(%v)", from, offset, p)
	f.ins("TBZ $0, %v, %s", lanes, end)
	f.ins("ADD $%d, %v, %v", offset+8, p, third)
	f.ins("VST1 V%d.S[2], (%v)", from, third)
	f.ins("JMP %s", end)
	f.label(one)
	f.ins("FMOVS F%d, %d(%v)", from, offset, p)
	f.label(end)
	f.release(third)
}
