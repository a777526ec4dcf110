package web_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/golden"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/play/puzzles"
	"dojo.example/serve"
	"dojo.example/serve/web"
	"dojo.example/train"
)

// The TypeScript sources contain a copy of Go's JSON types and constants. The test checks that the
// copy is up to date, or rewrites it if -update is given.
func TestWire(t *testing.T) {
	w := wire{known: map[reflect.Type]bool{}}
	w.printf("// DO NOT EDIT: go test ./serve/web -run TestWire -update writes this file from Go types.\n\n")
	w.printf("export type Player = %q | %q;\n", engine.First, engine.Second)
	w.printf("export type Outcome = %q | %q | Player;\n\n", engine.Ongoing, engine.Draw)
	for _, c := range []struct {
		doc, name string
		value     any
	}{
		{"The smallest losses of value that make a move an inaccuracy, a mistake or a blunder.", "inaccuracy", analysis.Inaccuracy},
		{"", "mistake", analysis.Mistake},
		{"", "blunder", analysis.Blunder},
		{"The smallest difference in value between the best move of a puzzle and all other moves.", "clear", puzzles.Clear},
		{"A worker is offline if its last message is older than this, in milliseconds.", "awayAfter", rundir.AwayAfter.Milliseconds()},
	} {
		if c.doc != "" {
			w.printf("/** %s */\n", c.doc)
		}
		w.printf("export const %s = %v;\n", c.name, c.value)
	}
	for _, v := range []any{
		web.Site{}, play.Model{}, serve.Query{}, analysis.Position{}, analysis.Growth{}, serve.News{}, serve.GameList{},
		serve.Game{}, serve.Thoughts{}, serve.Watched{}, train.Metrics{},
	} {
		w.name(reflect.TypeOf(v))
	}
	golden.Compare(t, "src/wire.ts", w.text.String())
}

// A wire converts Go types to TypeScript.
type wire struct {
	text  strings.Builder
	known map[reflect.Type]bool
}

func (w *wire) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

// name returns the name of the TypeScript interface for a struct. At the first call it also writes
// the interface.
func (w *wire) name(t reflect.Type) string {
	if w.known[t] {
		return t.Name()
	}
	w.known[t] = true
	var bases, fields []string
	for _, f := range reflect.VisibleFields(t) {
		if len(f.Index) > 1 {
			continue // skip a promoted field: the interface of its embedded struct already has it
		}
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "" && f.Anonymous:
			bases = append(bases, w.name(f.Type))
		case key != "" && key != "-":
			may := map[bool]string{true: "?"}[options != ""]
			fields = append(fields, fmt.Sprintf("\t%s%s: %s;\n", key, may, cmp.Or(strings.ReplaceAll(f.Tag.Get("ts"), "'", `"`), w.of(f.Type, options))))
		}
	}
	extends := ""
	if len(bases) > 0 {
		extends = " extends " + strings.Join(bases, ", ")
	}
	w.printf("\n/** %s */\nexport interface %s%s {\n%s}\n", t, t.Name(), extends, strings.Join(fields, ""))
	return t.Name()
}

// of returns the TypeScript type for a Go type. options lists the options in the field's JSON tag.
func (w *wire) of(t reflect.Type, options string) string {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "string"
	case reflect.TypeFor[engine.Outcome]():
		return map[bool]string{true: `Exclude<Outcome, "ongoing">`, false: "Outcome"}[options == "omitzero"]
	case reflect.TypeFor[json.RawMessage]():
		return "unknown"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Interface:
		return "unknown"
	case reflect.Slice:
		return w.of(t.Elem(), "") + "[]"
	case reflect.Map:
		return "{ [key: string]: " + w.of(t.Elem(), "") + " }"
	case reflect.Pointer:
		return w.of(t.Elem(), "") + map[bool]string{true: " | null"}[options == ""]
	case reflect.Struct:
		return w.name(t)
	}
	return "number"
}
