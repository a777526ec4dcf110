package configs

import (
	"strings"

	"github.com/goccy/go-yaml"
)

// A run.yaml holds all keys of a preset under the path inRun.
const inRun = "$.config"

// commentsOf returns the comments of a preset or of a run.yaml. The paths in the result are the
// paths of the keys in a run.yaml, even for a preset.
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

// without removes the comments of the keys that the settings change. Each setting has the form
// KEY=VALUE.
func without(comments yaml.CommentMap, settings []string) yaml.CommentMap {
	for _, s := range settings {
		key, _, _ := strings.Cut(s, "=")
		delete(comments, inRun+"."+key)
	}
	return comments
}
