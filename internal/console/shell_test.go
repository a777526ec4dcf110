package console

import (
	"errors"
	"runtime"
	"testing"
)

// A command that is printed for the user begins with the program's name, in a form that the shell
// understands.
func TestStartedAs(t *testing.T) {
	for path, want := range map[string]string{
		"dojo": "dojo", "./dojo": "./dojo", "/opt/my bots/dojo": "'/opt/my bots/dojo'", "/opt/it's/dojo": `'/opt/it'\''s/dojo'`,
		"/tmp/go-build1402/b001/exe/dojo": "go run ./cmd/dojo",
		"/home/me/.cache/go-build/3c/3c4d9a0f8a1f7a4a4d5f7b7c3f0e8e3b6a0d1c2b3a4958675f4e3d2c1b0a9f8e-d/dojo": "go run ./cmd/dojo",
		"/cache/3c/3c4d9a0f8a1f7a4a4d5f7b7c3f0e8e3b6a0d1c2b3a4958675f4e3d2c1b0a9f8e-d/dojo":                   "go run ./cmd/dojo",
	} {
		if got := startedAs(path); got != want && runtime.GOOS != "windows" {
			t.Errorf("%s is typed %s, want %s", path, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	err := errors.Join(errors.New("first"), errors.New("second"))
	if got, want := OneLine(err.Error()), "first; second"; got != want {
		t.Errorf("OneLine = %q, want %q", got, want)
	}
}

// The error message of an interrupted command does not contain Go's own words for an interrupt.
func TestInterrupted(t *testing.T) {
	for text, want := range map[string]string{
		"context canceled": "interrupted",
		"match of a against b: interrupt signal received":         "interrupted: match of a against b",
		"context canceled; go on with: dojo train":                "interrupted; go on with: dojo train",
		"export: context canceled; go on from x.partial":          "interrupted: export; go on from x.partial",
		"gate: terminated signal received; context canceled":      "interrupted: gate",
		"x is written, but not measured: match: context canceled": "interrupted: x is written, but not measured: match",
	} {
		if got := Interrupted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
