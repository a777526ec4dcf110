package engine

import (
	"fmt"
	"strings"
)

// GTP says how a game is played in the Go Text Protocol, version 2, which Go programs and also
// programs for other board games speak. In this protocol, one program controls another: it sends
// commands such as "play black d3" and "genmove white". Unlike a player in a [Protocol], the
// controlled program hears only actions and keeps the position itself. First is black.
type GTP struct {
	Game string // name of the game in the commands list_games and set_game, such as "Othello"
	Size int    // size of the board in the command boardsize

	// SkipsForcedPass says that a player whose only action is a pass is not asked, and that the pass
	// is not sent.
	SkipsForcedPass bool

	// Vertex returns the name of an action in the protocol. The program that reads it ignores the
	// difference between small and capital letters. If Vertex is nil, the name is the ActionString.
	Vertex func(p Position, a Action) string
}

// GTPName is the name of the Go Text Protocol, for dojo bot --protocol and cmd:gtp:PROGRAM.
const GTPName = "gtp"

// gtpPass is the vertex of a pass.
const gtpPass = "pass"

// VertexOf returns the name of the legal action a of p in the protocol; see Vertex.
func (g *GTP) VertexOf(p Position, a Action) string {
	if g.Vertex == nil {
		return p.ActionString(a)
	}
	return g.Vertex(p, a)
}

// ActionAt returns the legal action of p that has a name in the protocol. Small and capital letters
// are equal.
func (g *GTP) ActionAt(p Position, vertex string) (Action, error) {
	for _, a := range p.Legal(nil) {
		if strings.EqualFold(g.VertexOf(p, a), vertex) {
			return a, nil
		}
	}
	return 0, fmt.Errorf("%q is not a legal move in %q", vertex, p)
}

// ForcedPass reports whether the only action of p is a pass that the protocol skips. It returns
// this action.
func (g *GTP) ForcedPass(p Position) (pass Action, forced bool) {
	if !g.SkipsForcedPass {
		return 0, false
	}
	legal := p.Legal(nil)
	if len(legal) != 1 || !strings.EqualFold(g.VertexOf(p, legal[0]), gtpPass) {
		return 0, false
	}
	return legal[0], true
}

// GTPColour returns the colour of a player: black for First and white for Second.
func GTPColour(p Player) string { return [...]string{"black", "white"}[p] }

// ParseGTPColour returns the player with a colour. A colour may be one letter, b or w.
func ParseGTPColour(text string) (Player, error) {
	switch strings.ToLower(text) {
	case "black", "b":
		return First, nil
	case "white", "w":
		return Second, nil
	}
	return First, fmt.Errorf("%q is neither black nor white", text)
}
