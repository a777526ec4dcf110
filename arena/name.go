package arena

import (
	"os"
	"strconv"
	"strings"
	"time"

	"dojo.example/search/think"
)

// A ModelName holds the parts of a model's name. The same name also denotes the player that uses
// the model. It has one of two forms:
//
//	PATH[#CHANGE…][:SIMULATIONS]
//	PATH[#CHANGE…]@TIME
//
// A path may itself contain the separators #, : and @. An example is runs/2026-11-25T10:30.
// [SplitName] describes how such a name is split.
type ModelName struct {
	// Path is the path of a checkpoint or of a run, or it is "box" or "box:GAME" for a built-in
	// model.
	Path    string
	Changes string       // changes to the player, each with a # before it
	Budget  think.Budget // simulations or time per move; zero if the name has neither
}

// SplitName splits the name of a model into its parts. "box" and "box:GAME" denote the trained
// models that are built into the program. For any other name the path is the longest prefix that
// exists as a file or folder. So the name of an existing file always denotes this file. If no
// prefix exists, SplitName removes the budget and all valid changes from the end, and the rest is
// the path.
//
// If exists is nil, SplitName looks only at the text. Use nil for a complete name (see
// [Contestant.NameWith]) that comes from another machine or from an earlier time.
//
// The error is a NameError. Even then n.Path is valid; it is the whole name if there are no other
// parts.
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

// splitBox splits the name of a built-in model.
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

// longestPath returns the longest prefix of a name that exists and ends at a separator or at the
// end of the name. It returns "" if there is none.
func longestPath(name string, exists func(path string) bool) string {
	for path := name; path != ""; path = path[:max(0, strings.LastIndexAny(path, "#:@"))] {
		if exists(path) {
			return path
		}
	}
	return ""
}

// cutBudget removes the budget, :SIMULATIONS or @TIME, from the end of a name if the name has one.
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

// isChange reports whether a text consists of zero or more changes to a model's player. Each change
// begins with #.
func isChange(text string) bool {
	return (text == "" || text[0] == '#') && Change(&think.Options{}, text)
}

// isBox reports whether a name denotes a built-in model. Such a name contains no slash or
// backslash.
func isBox(name string) bool {
	rest, ok := strings.CutPrefix(name, Box)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], ":@#")) && !strings.ContainsAny(rest, `/\`)
}

// Boxed returns the GAME in "box:GAME", the name of a built-in model. ok is false for other models
// and for "box", which does not name its game.
func (n ModelName) Boxed() (game string, ok bool) {
	game, ok = strings.CutPrefix(n.Path, Box+":")
	return game, ok && !strings.ContainsAny(game, `#@/\`)
}

// Exists reports whether there is a file or a folder at path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
