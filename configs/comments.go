package configs

import (
	"strings"

	"github.com/goccy/go-yaml"
)

// inRun is the path in a run.yaml below which the keys of a preset appear.
const inRun = "$.config"

// commentsOf returns the comments of a preset or a run.yaml. Their paths are those that their keys
// have in a run.yaml.
func commentsOf(text []byte) yaml.CommentMap {
	all := yaml.CommentMap{}
	var v any
	if err := yaml.UnmarshalWithOptions(text, &v, yaml.CommentToMap(all)); err != nil {
		return nil // decoding the text will report the error
	}
	if isFrozen(text) {
		return all
	}
	moved := yaml.CommentMap{}
	for path, c := range all {
		moved[inRun+strings.TrimPrefix(path, "$")] = c
	}
	return moved
}

// without removes the comments of those keys that the given KEY=VALUE settings change.
func without(comments yaml.CommentMap, settings []string) yaml.CommentMap {
	for _, s := range settings {
		key, _, _ := strings.Cut(s, "=")
		delete(comments, inRun+"."+key)
	}
	return comments
}
