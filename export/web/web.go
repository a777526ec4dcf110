// Package web makes a folder of static files with a trained bot that plays in the browser, in
// WebAssembly. Any web server can serve the folder. All computation happens in the browser, and the
// page sends nothing to the server.
package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dojo.example/internal/licences"
	"dojo.example/internal/process"
	"dojo.example/model"
	"dojo.example/model/kernel/wasm"
	"dojo.example/serve/web"
)

// Program is the file name of the WebAssembly program. If a folder contains this file, the folder
// was written by this package.
const Program = "dojo.wasm.gzip"

const (
	support    = "wasm_exec.js"
	kernels    = "kernels.js"
	parameters = "model.safetensors.gzip"
	notices    = "licenses.txt" // licences of the pages and of the program
)

// Names returns the names of all files that Files returns.
func Names() []string {
	names := []string{Program, support, kernels, parameters, web.SiteFile}
	for _, e := range pages() {
		names = append(names, e.Name())
	}
	return names
}

// pages returns the files of the front end that an export needs, without the files of the
// dashboard.
func pages() []fs.DirEntry {
	entries, err := fs.ReadDir(web.Files(), ".")
	if err != nil {
		panic(err) // impossible: the files are part of this program
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(web.Dashboard, e.Name()) })
}

// Build returns the result of Files. If dojo is a release, it carries a runtime for all games of
// this module, and Build uses that. If dojo is not a release, or if the game is from another module
// (registered), Build compiles the program for the browser; see package wasm. Compiling needs Go
// and the sources of the program.
func Build(ctx context.Context, c *model.Checkpoint, registered bool, origin []string) (map[string][]byte, error) {
	if carried.Program != nil && !registered {
		return Files(c, carried, origin)
	}
	program, err := process.Build(ctx, "js", "wasm")
	if err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	runtime, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", support))
	if err != nil {
		return nil, fmt.Errorf("the Go toolchain lacks a file that runs WebAssembly in a browser: %w", err)
	}
	packed, err := Pack(program)
	if err != nil {
		return nil, err
	}
	return Files(c, Runtime{packed, runtime}, origin)
}

// Runtime holds the files that run the bot in a browser.
type Runtime struct {
	Program []byte // dojo, built for js/wasm and packed by Pack
	Support []byte // wasm_exec.js from the same Go toolchain
}

// Pack compresses a program. If the end of the program is missing, Pack returns an error. This can
// happen because Go's linker reports no error if the disk is full.
func Pack(program []byte) ([]byte, error) {
	if err := checkProgram(program); err != nil {
		return nil, fmt.Errorf("%s: %w", Program, err)
	}
	return compress(program), nil
}

// compress returns data in gzip format. The page unpacks it, because some web servers do not
// compress files.
func compress(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails only for an unknown level
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// Files returns the content of the folder's files by name. The page shows the lines in origin,
// which tell visitors where the model comes from.
func Files(c *model.Checkpoint, r Runtime, origin []string) (map[string][]byte, error) {
	var checkpoint bytes.Buffer
	if err := c.Encode(&checkpoint); err != nil {
		return nil, err
	}
	site, err := json.Marshal(web.Site{Backend: "worker", Pages: []string{"play", "learn", "rules"}, Provenance: origin})
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		Program: r.Program, support: r.Support, kernels: wasm.Support, parameters: compress(checkpoint.Bytes()), web.SiteFile: site,
	}
	for _, e := range pages() {
		if files[e.Name()], err = fs.ReadFile(web.Files(), e.Name()); err != nil {
			return nil, err
		}
	}
	files[notices] = fmt.Appendf(files[notices], "\n\n%s", licences.Portable)
	return files, nil
}

// checkProgram returns an error unless a WebAssembly module ends exactly where its last section
// ends. A module has a header of eight bytes and a list of sections. A section has one byte for its
// kind, then the length of its content as an unsigned LEB128 number, then the content.
func checkProgram(wasm []byte) error {
	rest, ok := bytes.CutPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok || len(rest) == 0 {
		return errors.New("the file is not a WebAssembly module")
	}
	for len(rest) > 0 {
		length, n := binary.Uvarint(rest[1:])
		if n <= 0 || length > uint64(len(rest)-1-n) {
			return errors.New("the file is cut off; is the disk full?")
		}
		rest = rest[1+n+int(length):]
	}
	return nil
}
