package configs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A retiredKey is a key of older versions. Only the value at which it did nothing is
// accepted, because a run.yaml of an older program may have it.
type retiredKey struct {
	value   string // accepted
	instead string // what the program does now
}

var retired = map[string]retiredKey{
	"mcts.root":            {"puct", "PUCT is the rule at the root"},
	"mcts.gumbel_actions":  {"0", "PUCT is the rule at the root"},
	"mcts.gumbel_scale":    {"0", "PUCT is the rule at the root"},
	"selfplay.fresh_root":  {"false", "the tree below the action that was played is kept"},
	"selfplay.restarts":    {"0", "every game begins with a deal"},
	"gate.judge":           {"wins", "who wins the games of the match decides"},
	"mcts.tactics.nodes":   {"0", "moves are played without a further search for forced wins"},
	"train.surprise_share": {"0", "samples are drawn evenly"},
}

// dropRetired removes the retired keys of a file. It returns a mistake if one of them
// has a value that is not accepted.
func dropRetired(file *ast.File) (bad *mistake) {
	var visit func(n ast.Node, path string)
	visit = func(n ast.Node, path string) {
		mapping, ok := n.(*ast.MappingNode)
		if !ok {
			return
		}
		mapping.Values = slices.DeleteFunc(mapping.Values, func(pair *ast.MappingValueNode) bool {
			key := path + pair.Key.String()
			visit(pair.Value, key+".")
			name := strings.TrimPrefix(key, "config.") // where a run.yaml has its configuration
			r, gone := retired[name]
			if gone && plain(pair.Value) != r.value && bad == nil {
				bad = &mistake{pair.Key.GetToken().Position.Line, fmt.Errorf("%s is gone: %s (only %s is still read)", name, r.instead, r.value)}
			}
			return gone
		})
	}
	for _, doc := range file.Docs {
		visit(doc.Body, "")
	}
	return bad
}

// plain returns a scalar as text, without quotes, and with 0 for 0.0. For other nodes it
// returns "".
func plain(n ast.Node) string {
	if s, ok := n.(ast.ScalarNode); ok {
		return fmt.Sprint(s.GetValue())
	}
	return ""
}
