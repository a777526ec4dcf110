package games

import (
	"context"

	"dojo/engine"
)

// Perft is [engine.Perft] for a position without its type. It does not play the last ply, only
// counts it, and ends with ctx.
func Perft(ctx context.Context, p engine.Position, depth int) (int, error) {
	switch {
	case depth == 0:
		return 1, nil
	case p.Outcome() != engine.Ongoing:
		return 0, nil
	}
	legal := p.Legal(make([]engine.Action, 0, 64))
	if depth == 1 {
		return len(legal), nil
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	nodes := 0
	for _, action := range legal {
		n, err := Perft(ctx, p.Play(action), depth-1)
		if err != nil {
			return 0, err
		}
		nodes += n
	}
	return nodes, nil
}
