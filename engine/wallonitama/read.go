package wallonitama

import (
	"fmt"
	"strings"

	"dojo/engine"
)

// ReadAction reads an action, accepting "2XXXX" for "2XX", or explains what is wrong, in
// the order of the original's checks (section 5); see engine.ActionReader.
func (s State) ReadAction(text string) (engine.Action, error) {
	name := text
	if pass, ok := strings.CutSuffix(text, "XXXX"); ok {
		name = pass + "XX"
	}
	legal := s.Legal(nil)
	var names []string
	for _, a := range legal {
		if names = append(names, s.ActionString(a)); names[len(names)-1] == name {
			return a, nil
		}
	}
	refuse := func(why string, args ...any) (engine.Action, error) {
		return 0, fmt.Errorf("wallonitama: %q: "+why, append([]any{text}, args...)...)
	}
	switch {
	case s.outcome != engine.Ongoing:
		return refuse("the game is over")
	case s.walling:
		return refuse("the wall is due: %s", strings.Join(names, " "))
	case legal[0] == restAction(passes):
		return refuse("no pawn can move, pick a card: 1XX or 2XX")
	case len(name) != 5:
		return refuse("want card, from and to, as in 1e2d1")
	case name[0] != '1' && name[0] != '2':
		return refuse("there is no card %c", name[0])
	}
	from, to := cellNamed(name[1:3]), cellNamed(name[3:5])
	if from < 0 || to < 0 {
		return refuse("squares are a1 to e5")
	}
	from, to = s.Absolute(from), s.Absolute(to)
	switch {
	case s.Mine>>from&1 == 0:
		return refuse("no pawn of yours stands on %s", name[1:3])
	case s.cards[name[0]-'1'].from(from)>>to&1 == 0:
		return refuse("card %c has no such step", name[0])
	case to == int(s.wall):
		return refuse("the wall stands on %s", name[3:5])
	}
	return refuse("your own pawn stands on %s", name[3:5])
}

// cellNamed returns the cell "a1" to "e5" of the board that both see, or -1.
func cellNamed(name string) int {
	y, x := int(name[0])-'a', int(name[1])-'1'
	if y < 0 || y >= side || x < 0 || x >= side {
		return -1
	}
	return y*side + x
}
