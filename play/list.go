package play

import (
	"fmt"
	"io"
	"strings"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/internal/bounded"
)

// List shows the legal actions: with their numbers or, of a game that has so
// many that it groups them, the groups and, where one is named, its actions.
func List(w io.Writer, p engine.Position, group string) error {
	names := analysis.Legal(p)
	grouper, ok := p.State().(engine.Grouper)
	switch {
	case len(names) == 0:
		fmt.Fprintln(w, "none: the game is over")
	case !ok && group != "":
		return fmt.Errorf("the moves of this game are not in groups: there is no group %q", group)
	case !ok:
		for i, name := range names {
			fmt.Fprintf(w, "%3d  %s\n", i+1, name)
		}
	case group == "":
		listGroups(w, p, grouper.Groups())
	default:
		return listGroup(w, p, grouper.Groups(), group)
	}
	return nil
}

// listGroups shows the groups with their numbers of actions and their pictures.
func listGroups(w io.Writer, p engine.Position, groups []engine.Group) {
	var several []string
	for _, g := range groups {
		all := g.All()
		count := fmt.Sprintf("%d ways", len(all))
		if len(all) == 1 {
			count = "plays " + p.ActionString(all[0])
		} else {
			several = append(several, "moves "+g.Name)
		}
		fmt.Fprintf(w, "%3s  %-9s %s\n", g.Name, count, g.About)
		for _, line := range g.Picture {
			fmt.Fprintf(w, "       %s\n", line)
		}
	}
	if several != nil {
		fmt.Fprintf(w, "%s: the actions of one\n", strings.Join(several, ", "))
	}
}

// listGroup shows the actions of the named group, part by part.
func listGroup(w io.Writer, p engine.Position, groups []engine.Group, name string) error {
	var names []string
	for _, g := range groups {
		if g.Name != name {
			names = append(names, g.Name)
			continue
		}
		fmt.Fprintf(w, "%s  %s\n", g.Name, g.About)
		listNames(w, p, g.Actions)
		for _, part := range g.Parts {
			fmt.Fprintf(w, "\n  %s\n", part.Name)
			for _, line := range part.Picture {
				fmt.Fprintf(w, "     %s\n", line)
			}
			listNames(w, p, part.Actions)
		}
		return nil
	}
	return fmt.Errorf("there is no group %q here, only %s", name, strings.Join(names, " "))
}

// listNames shows actions by name, as many a line as fit.
func listNames(w io.Writer, p engine.Position, actions []engine.Action) {
	var names []string
	for _, a := range actions {
		names = append(names, p.ActionString(a))
	}
	if names != nil {
		fmt.Fprintln(w, bounded.Wrap(" ", names))
	}
}
