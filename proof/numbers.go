package proof

// numbers are the proof number and the disproof number of a position, at most infinite,
// and of a proven one the plies in which the attacker wins by the proof.
type numbers struct{ pn, dn, plies uint32 }

// infinite stands for what cannot be. Numbers take 24 bits in the table.
const infinite = 1 << 23

var (
	proven    = numbers{0, infinite, 0}
	disproven = numbers{infinite, 0, 0}
	unknown   = numbers{1, 1, 0}
)

// urgent and loose are the first numbers of positions: a player who must meet a threat
// has few actions, and who has none to meet has many.
const (
	urgent = 1
	loose  = 3
)

// threatened are the first numbers of a position where the mover, who may be the attacker,
// is threatened with a win or is not.
func threatened(attacks, threat bool) numbers {
	if attacks == threat {
		return numbers{loose, urgent, 0}
	}
	return numbers{urgent, loose, 0}
}

// combine computes the numbers of a position from those of its children, where the
// attacker moves or the defender does. best is the child to search next, and second the
// number of the next best that best goes by.
func combine[S any](children []child[S], attacks bool) (n numbers, best int, second uint32) {
	least, sum, plies := uint32(infinite), uint32(0), uint32(0)
	second = infinite
	for i := range children {
		a, b := children[i].pn, children[i].dn
		if !attacks {
			a, b = b, a
		}
		switch {
		case a < least:
			second, least, best = least, a, i
		case a < second:
			second = a
		}
		sum = min(sum+b, infinite)
		plies = max(plies, children[i].plies)
	}
	switch {
	case !attacks && sum == 0:
		return numbers{0, infinite, plies + 1}, best, second
	case !attacks:
		return numbers{sum, least, 0}, best, second
	case least == 0:
		return numbers{0, infinite, children[best].plies + 1}, best, second
	}
	return numbers{least, sum, 0}, best, second
}

// limit is the limit for the search of a child: until it is no longer the best by a
// quarter, or its parent, whose numbers are n, reaches its own limit.
func (c *numbers) limit(n, parent numbers, second uint32, attacks bool) numbers {
	margin := second + second/4 + 1
	if attacks {
		return numbers{pn: min(parent.pn, margin), dn: min(parent.dn-n.dn+c.dn, infinite)}
	}
	return numbers{pn: min(parent.pn-n.pn+c.pn, infinite), dn: min(parent.dn, margin)}
}
