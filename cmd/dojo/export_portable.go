package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dojo/docs"
	"dojo/engine"
	"dojo/export/onnx"
	"dojo/export/web"
	"dojo/games"
	"dojo/internal/output"
	"dojo/internal/version"
	"dojo/model"
)

// exportONNX writes the network alone, for other runtimes. One of the sparse kind is
// written in floats.
func (a *app) exportONNX(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) error {
	p := model.Int8
	if opt.float32 || c.Kind == model.Sparse {
		p = model.Float32
	}
	target, err := output.Open(opt.out, opt.replace)
	if err != nil {
		return err
	}
	if err := target.Write(ctx, func(w io.Writer) error {
		return onnx.Write(w, c, p, map[string]string{
			"exported_by": "dojo " + version.String(), "encoding": encodingOf(game, c.Kind),
		})
	}); err != nil {
		return err
	}
	return a.exported(c, opt, fmt.Sprintf("is the network of model %s for %s in %s", c.Name, game.Name, p))
}

// encodingOf explains what a network of that kind sees of a game, and its actions.
func encodingOf(game games.Entry, kind model.NetworkKind) string {
	if kind == model.Sparse {
		return "Features, by the numbers of the first and the last of a kind: " + featureList(game.FeatureGroups) +
			"\n\nActions, and planes, which this network does not read: " + docs.Encoding(game.Name)
	}
	return docs.Encoding(game.Name)
}

// featureList names the features of a game, group by group: "0 to 24 my students, …".
func featureList(groups []engine.FeatureGroup) string {
	var list []string
	first := 0
	for _, g := range groups {
		list = append(list, fmt.Sprintf("%d to %d %s (%s)", first, first+len(g.Each)-1, g.Name, strings.Join(g.Each, ", ")))
		first += len(g.Each)
	}
	return strings.Join(list, "; ")
}

// exportWeb writes a folder in which a browser plays the bot.
func (a *app) exportWeb(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) error {
	target, err := output.OpenFolder(opt.out, web.Program, web.Names(), opt.replace)
	if err != nil {
		return err
	}
	runtime := web.Carried()
	if runtime == nil {
		if runtime, err = buildWeb(ctx); err != nil {
			return err
		}
	}
	files, err := web.Files(c, *runtime, origin(c))
	if err != nil {
		return err
	}
	if err := target.Write(files); err != nil {
		return err
	}
	return a.exported(c, opt, fmt.Sprintf("plays %s with model %s from any web server, such as: python3 -m http.server -d %s", game.Name, c.Name, opt.out))
}

// buildWeb builds what plays in the browser from the sources.
func buildWeb(ctx context.Context) (*web.Runtime, error) {
	dir, err := os.MkdirTemp("", "dojo-export-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "dojo.wasm")
	if err := build(ctx, "js", "wasm", "./export/web/wasm", path); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("what Go runs WebAssembly with: %w", err)
	}
	packed, err := web.Pack(program)
	return &web.Runtime{Program: packed, Support: support}, err
}
