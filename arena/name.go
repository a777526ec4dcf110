package arena

import (
	"os"
	"strconv"
	"strings"
	"time"

	"dojo.example/search/think"
)

// A ModelName has the parts of the name of a model, which is also the name of the player that it is:
//
//	PATH[#CHANGE…][:SIMULATIONS]
//	PATH[#CHANGE…]@TIME
//
// A path may contain the separators #, : and @, too, as runs/2026-11-25T10:30 does. See [SplitName].
type ModelName struct {
	Path    string       // a checkpoint, a run, "box", or "box:GAME"
	Changes string       // of the player, each with its #
	Budget  think.Budget // zero if the name leaves it out
}

// SplitName splits the name of a model. "box" and "box:GAME" are bots in the box. Otherwise the path
// is the longest part of the name, from its beginning, that exists, so that the name of a file or
// folder always stands for it. If no part exists, the path is what is left after the budget and all
// valid changes at the end. A complete name (see [Contestant.NameWith]) that is read on another machine
// or later is split with a nil exists: its parts then follow from the text only.
//
// The error is a NameError. The path is valid even then: the whole name if it has no other parts.
func SplitName(name string, exists func(path string) bool) (n ModelName, err error) {
	if isBox(name) {
		if n, err = splitBox(name); err == nil {
			return n, nil
		}
	}
	if exists != nil {
		if path := longestPath(name, exists); path != "" {
			changes, budget, wrong := cutBudget(name[len(path):])
			if wrong == nil && isChange(changes) {
				return ModelName{path, changes, budget}, nil
			}
			if wrong == nil && changes[0] == '#' {
				return ModelName{Path: path, Changes: changes}, errNoPlayer(name)
			}
		}
	}
	if isBox(name) {
		return n, err
	}
	rest, budget, err := cutBudget(name)
	if err != nil {
		return ModelName{Path: name}, nameErrorf("player %q: %w", name, err)
	}
	n = ModelName{Path: rest, Budget: budget}
	for i := strings.LastIndexByte(n.Path, '#'); i >= 0 && isChange(n.Path[i:]); i = strings.LastIndexByte(n.Path, '#') {
		n.Path, n.Changes = n.Path[:i], n.Path[i:]+n.Changes
	}
	if exists != nil && strings.Contains(n.Path, "#") {
		return n, errNoPlayer(name)
	}
	return n, nil
}

// splitBox splits the name of a bot in the box.
func splitBox(name string) (n ModelName, err error) {
	rest, budget, err := cutBudget(name)
	n = ModelName{Path: rest, Budget: budget}
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		n.Path, n.Changes = rest[:i], rest[i:]
	}
	switch {
	case err != nil:
		err = nameErrorf("player %q: %w", name, err)
	case !isChange(n.Changes) || strings.Contains(n.Path, "@"):
		err = errNoPlayer(name)
	}
	return n, err
}

// longestPath returns the longest part of a name, from its beginning to its end or a separator, that
// exists; "" if there is none.
func longestPath(name string, exists func(path string) bool) string {
	for path := name; path != ""; path = path[:max(0, strings.LastIndexAny(path, "#:@"))] {
		if exists(path) {
			return path
		}
	}
	return ""
}

// cutBudget cuts the budget from the end of a name, if it has one.
func cutBudget(name string) (rest string, b think.Budget, err error) {
	i := strings.LastIndexAny(name, ":@")
	if i < 0 {
		return name, b, nil
	}
	limit := name[i+1:]
	if name[i] == ':' {
		if _, noNumber := strconv.Atoi(limit); noNumber != nil {
			return name, b, nil
		}
		b.Visits, err = parseCount(limit, MostSimulations)
		return name[:i], b, err
	}
	if b.Time, err = time.ParseDuration(limit); err != nil {
		return name, think.Budget{}, nil
	}
	if b.Time <= 0 {
		err = nameErrorf("%q is not a time above 0, such as 30ms", limit)
	}
	return name[:i], b, err
}

// isChange reports whether a text consists of changes of a model's player, each with its #. There may be none.
func isChange(text string) bool {
	return (text == "" || text[0] == '#') && Change(&think.Options{}, text)
}

// isBox reports whether a name is that of the bot in the box of a game. No such name has a separator of folders.
func isBox(name string) bool {
	rest, ok := strings.CutPrefix(name, Box)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], ":@#")) && !strings.ContainsAny(rest, `/\`)
}

// Boxed returns the game of a model that is the bot in its box. It is false for "box", whose game
// follows from elsewhere.
func (n ModelName) Boxed() (game string, ok bool) {
	game, ok = strings.CutPrefix(n.Path, Box+":")
	return game, ok && !strings.ContainsAny(game, `#@/\`)
}

// Exists reports whether there is a file or a folder at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
