package cli

import (
	"bytes"
	"context"
	"io"

	"dojo.example/export/binary"
	"dojo.example/export/onnx"
	"dojo.example/export/web"
	"dojo.example/internal/output"
	"dojo.example/internal/version"
)

// program writes an executable that carries the model.
func (x *exporter) program(ctx context.Context) error {
	target, err := x.open(ctx, x.app)
	if err != nil {
		return err
	}
	var checkpoint bytes.Buffer
	if err := x.checkpoint.Encode(&checkpoint); err != nil {
		return err
	}
	program, err := x.Read(ctx, x.step)
	if err != nil {
		return err
	}
	if err := target.WriteExecutable(ctx, func(w io.Writer) error {
		return binary.Write(w, program, checkpoint.Bytes())
	}); err != nil {
		return err
	}
	return x.done("plays %s with model %s on %s/%s", x.entry.Name, x.checkpoint.Name, x.OS, x.Arch)
}

// onnx writes the network as an ONNX model, for other runtimes.
func (x *exporter) onnx(ctx context.Context) error {
	c := x.checkpoint
	target, err := x.open(ctx, x.app)
	if err != nil {
		return err
	}
	meta := map[string]string{"exported_by": "dojo " + version.String(), "encoding": x.entry.English.Section("What the network sees")}
	if err := target.Write(ctx, func(w io.Writer) error { return onnx.Write(w, c, x.entry.FeatureGroups, meta) }); err != nil {
		return err
	}
	return x.done("is the network of model %s for %s", c.Name, x.entry.Name)
}

// web writes a folder of web files with which a browser can run the bot.
func (x *exporter) web(ctx context.Context) error {
	target, err := output.OpenFolder(x.out, web.Program, web.Names(), x.replacing(ctx, x.force))
	if err != nil {
		return err
	}
	x.step("build the pages and their program")
	files, err := web.Build(ctx, x.checkpoint, x.entry.Registered, origin(x.checkpoint, x.search))
	if err != nil {
		return err
	}
	if err := target.Write(files); err != nil {
		return err
	}
	return x.done("plays %s with model %s from any web server, such as: python3 -m http.server -d %s", x.entry.Name, x.checkpoint.Name, x.out)
}
