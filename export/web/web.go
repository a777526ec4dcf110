// Package web makes a folder of static files in which a trained bot plays in
// the browser, in WebAssembly, with no server behind it: any web server will
// do, and nothing leaves the browser.
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

// Program is the name of the file that is Go's program, which marks a folder as
// written by this package.
const Program = "dojo.wasm.gzip"

const (
	support    = "wasm_exec.js"
	kernels    = "kernels.js"
	parameters = "model.safetensors.gzip"
	notices    = "licenses.txt" // of the pages, and here of the program too
)

// Names are the names of all files that Files returns.
func Names() []string {
	names := []string{Program, support, kernels, parameters, web.SiteFile}
	for _, e := range pages() {
		names = append(names, e.Name())
	}
	return names
}

// pages are the files of the front end, without those of the dashboard.
func pages() []fs.DirEntry {
	entries, err := fs.ReadDir(web.Files(), ".")
	if err != nil {
		panic(err) // they are part of this program
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(web.Dashboard, e.Name()) })
}

// Build returns Files with the runtime that this program carries, which has the games of this
// module. A program that is no release, or whose game is of another module (registered), is
// compiled for the browser; see package wasm. Go and the sources of the program must be there.
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
		return nil, fmt.Errorf("what Go runs WebAssembly with: %w", err)
	}
	packed, err := Pack(program)
	if err != nil {
		return nil, err
	}
	return Files(c, Runtime{packed, runtime}, origin)
}

// A Runtime is what plays in the browser.
type Runtime struct {
	Program []byte // this program, built for js/wasm and packed by Pack
	Support []byte // Go's wasm_exec.js of the same toolchain
}

// Pack compresses a program. One that is cut off is an error: on a full disk Go's linker
// leaves one, and reports nothing.
func Pack(program []byte) ([]byte, error) {
	if err := checkProgram(program); err != nil {
		return nil, fmt.Errorf("%s: %w", Program, err)
	}
	return compress(program), nil
}

// compress returns data as gzip. The page unpacks it: not all web servers compress.
func compress(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails for an unknown level alone
	_, _ = w.Write(data)                                  // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// Files is the content of the folder, by name. origin is lines that say where the model
// is from.
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

// checkProgram checks that a WebAssembly module ends where its last section
// does. After eight bytes it is a list of sections: a byte for the kind, the
// length of the content as an unsigned LEB128 number, and the content.
func checkProgram(wasm []byte) error {
	rest, ok := bytes.CutPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok || len(rest) == 0 {
		return errors.New("it is no WebAssembly module")
	}
	for len(rest) > 0 {
		length, n := binary.Uvarint(rest[1:])
		if n <= 0 || length > uint64(len(rest)-1-n) {
			return errors.New("it is cut off; is the disk full?")
		}
		rest = rest[1+n+int(length):]
	}
	return nil
}
