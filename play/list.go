package play

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/play/analysis"
)

// List writes the legal actions of p. If the game does not group its actions, List writes all of
// them with their numbers. Otherwise it writes the actions of the named group or, if group is "",
// an overview of all groups.
func List(w io.Writer, p engine.Position, group string) error {
	names := analysis.Legal(p)
	grouper, ok := p.State().(engine.Grouper)
	switch {
	case len(names) == 0:
		fmt.Fprintln(w, "no moves: the game is over")
	case !ok && group != "":
		return fmt.Errorf("there is no group %q: this game does not group its moves", group)
	case !ok:
		for i, name := range names {
			fmt.Fprintf(w, "%3d  %s\n", i+1, name)
		}
	default:
		return listGroups(w, p, grouper, group)
	}
	return nil
}

// grouped is a group with its actions.
type grouped struct {
	engine.Group
	actions []engine.Action
}

// inGroups divides actions into groups and sorts the groups by name. The function "of" returns the
// group of an action.
func inGroups(actions []engine.Action, of func(a engine.Action) engine.Group) (all []grouped) {
	for _, a := range actions {
		g := of(a)
		i := slices.IndexFunc(all, func(x grouped) bool { return x.Name == g.Name })
		if i < 0 {
			i, all = len(all), append(all, grouped{Group: g})
		}
		all[i].actions = append(all[i].actions, a)
	}
	slices.SortFunc(all, func(a, b grouped) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// listGroups writes an overview of all groups: the number of actions in each group, and its
// picture. If name is not empty, listGroups instead writes the actions of the named group, sorted
// into the parts of the group.
func listGroups(w io.Writer, p engine.Position, of engine.Grouper, name string) error {
	var names, several []string
	for _, g := range inGroups(p.Legal(nil), func(a engine.Action) engine.Group { g, _ := of.Group(a); return g }) {
		names = append(names, g.Name)
		switch {
		case name == g.Name:
			fmt.Fprintf(w, "%s  %s\n", g.Name, g.About)
			for _, part := range inGroups(g.actions, func(a engine.Action) engine.Group { _, part := of.Group(a); return part }) {
				if part.Name != "" {
					fmt.Fprintf(w, "\n  %s\n", part.Name)
				}
				for _, line := range part.Picture {
					fmt.Fprintf(w, "     %s\n", line)
				}
				listNames(w, p, part.actions)
			}
			return nil
		case name != "":
			continue
		}
		count := fmt.Sprintf("%d ways", len(g.actions))
		if len(g.actions) == 1 {
			count = "plays " + p.ActionString(g.actions[0])
		} else {
			several = append(several, "moves "+g.Name)
		}
		fmt.Fprintf(w, "%3s  %-9s %s\n", g.Name, count, g.About)
		for _, line := range g.Picture {
			fmt.Fprintf(w, "       %s\n", line)
		}
	}
	if name != "" {
		return fmt.Errorf("there is no group %q in this position; the groups are %s", name, strings.Join(names, " "))
	}
	if several != nil {
		fmt.Fprintf(w, "to list the actions of a group: %s\n", strings.Join(several, ", "))
	}
	return nil
}

// listNames writes the names of actions, filling each line.
func listNames(w io.Writer, p engine.Position, actions []engine.Action) {
	var names []string
	for _, a := range actions {
		names = append(names, p.ActionString(a))
	}
	fmt.Fprintln(w, bounded.Wrap(" ", names))
}
