// Package web writes a folder of static files in which a trained bot plays in
// the browser, in WebAssembly, with no server behind it: any web server will
// do, and nothing leaves the browser.
package web

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dojo/internal/atomicfile"
	"dojo/model"
)

//go:embed assets
var assets embed.FS

// Write fills the folder dir. program is the package wasm, built for js/wasm,
// and support Go's wasm_exec.js of the same toolchain; provenance is lines.
func Write(dir string, c *model.Checkpoint, program, support []byte, provenance []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var checkpoint bytes.Buffer
	if err := c.Encode(&checkpoint); err != nil {
		return err
	}
	files := map[string][]byte{
		"dojo.wasm": program, "wasm_exec.js": support, "model.safetensors": checkpoint.Bytes(),
		"provenance.txt": []byte(strings.Join(provenance, "\n") + "\n"),
	}
	entries, err := fs.ReadDir(assets, "assets")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if files[e.Name()], err = assets.ReadFile("assets/" + e.Name()); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), data); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}
