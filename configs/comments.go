package configs

import (
	"strings"

	"github.com/goccy/go-yaml"
)

// inRun is the path, in a run.yaml, of what a preset has at the top.
const inRun = "$.config"

// commentsOf returns the comments of a preset or of a run.yaml, by the paths that their keys
// have in a run.yaml.
func commentsOf(text []byte) yaml.CommentMap {
	all := yaml.CommentMap{}
	var v any
	if err := yaml.UnmarshalWithOptions(text, &v, yaml.CommentToMap(all)); err != nil {
		return nil // decoding the text reports the error
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

// without returns the comments except those of keys that settings, KEY=VALUE, change.
func without(comments yaml.CommentMap, settings []string) yaml.CommentMap {
	for _, s := range settings {
		key, _, _ := strings.Cut(s, "=")
		delete(comments, inRun+"."+key)
	}
	return comments
}
