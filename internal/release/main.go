// Release builds what is handed out of a version: static programs for our platforms, and
// beside each its bill of materials; the licences; how all were built; and their SHA-256. The
// same commit gives the same bytes with the same version of Go, in whatever folder and
// on whatever machine it is built.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dojo.example/export/web"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/licences"
)

func main() {
	out := flag.String("o", "dist", "the `folder` to write; what the last release left there is replaced")
	only := flag.String("only", "", "the one platform to build for, e.g. linux/amd64")
	notices := flag.String("licences", "", "write the licences of what is linked to this `file`, and build nothing")
	flag.Parse()
	var err error
	if *notices != "" {
		var text string
		if text, err = collect(); err == nil {
			err = atomicfile.WriteBytes(*notices, []byte(text))
		}
	} else {
		err = release(*out, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A platform is a system and a processor.
type platform struct{ os, arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// env is the environment in which the go command builds for the platform: without the
// paths of this machine, and with the commit. What a developer may have set there and
// what changes the bytes is set as well.
func (p platform) env() []string {
	return []string{
		"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-trimpath -buildvcs=auto", "GOWORK=off",
	}
}

// program is the name of the platform's program.
func (p platform) program() string {
	name := "dojo-" + p.os + "-" + p.arch
	if p.os == "windows" {
		name += ".exe"
	}
	return name
}

// release writes everything into a folder.
func release(dir, only string) error {
	sums := filepath.Join(dir, "SHA256SUMS")
	if err := removeLast(sums); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "dojo-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	overlay, err := carry(scratch)
	if err != nil {
		return err
	}
	files := map[string][]byte{"LICENCES.txt": []byte(licences.All())}
	names := []string{"LICENCES.txt"}
	for _, p := range platforms {
		if only != "" && only != p.String() {
			continue
		}
		fmt.Println(p)
		path := filepath.Join(dir, p.program())
		if err := build(p, path, overlay); err != nil {
			return err
		}
		bill, err := billOf(path)
		if err != nil {
			return fmt.Errorf("bill of materials of %s: %w", path, err)
		}
		files[p.program()+".cdx.json"] = bill
		names = append(names, p.program(), p.program()+".cdx.json")
	}
	if len(names) == 1 {
		return fmt.Errorf("%s is none of our platforms", only)
	}
	var list bytes.Buffer
	var built []artefact
	for _, name := range names {
		path := filepath.Join(dir, name)
		if content, ok := files[name]; ok {
			if err := atomicfile.WriteBytes(path, content); err != nil {
				return err
			}
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(content))
		built = append(built, artefact{Name: name, Digest: map[string]string{"sha256": sum}})
		fmt.Fprintf(&list, "%s  %s\n", sum, name)
	}
	how, err := provenance(built, only)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(filepath.Join(dir, provenanceFile), how); err != nil {
		return err
	}
	fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(how), provenanceFile)
	return atomicfile.WriteBytes(sums, list.Bytes()) // last: it says that the release is whole
}

// provenanceFile is the file that says how the others were built.
const provenanceFile = "provenance.intoto.json"

// removeLast removes the files of an earlier release, which its checksums name. Files of
// other people stay.
func removeLast(sums string) error {
	text, err := os.ReadFile(sums)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && filepath.IsLocal(name) {
			if err := os.Remove(filepath.Join(filepath.Dir(sums), name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return os.Remove(sums)
}

// build builds the program for a platform, without the symbols that only a debugger
// reads.
func build(p platform, path, overlay string) error {
	return compile(p, append(slices.Clone(buildFlags), "-overlay="+overlay, "-o", path, "dojo.example/cmd/dojo")...)
}

// buildFlags are the flags of the go command that are the same everywhere.
var buildFlags = []string{"-tags=carryweb", "-ldflags=-s -w"}

func compile(p platform, args ...string) error {
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Env = append(os.Environ(), p.env()...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", p, err)
	}
	return nil
}

// carry builds what plays in the browser into a folder, and returns the overlay with
// which programs are built that carry it: they export it without Go and the sources.
func carry(dir string) (overlay string, err error) {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", err
	}
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	browser := platform{"js", "wasm"}
	fmt.Println(browser)
	built, packed := filepath.Join(dir, "dojo.wasm"), filepath.Join(dir, web.Program)
	if err := compile(browser, "-ldflags=-s -w", "-o", built, "dojo.example/export/web/wasm"); err != nil {
		return "", err
	}
	program, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	if program, err = web.Pack(program); err != nil {
		return "", err
	}
	carried := filepath.Join(root, "export", "web", "carried")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(carried, web.Program):    packed,
		filepath.Join(carried, "wasm_exec.js"): filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"),
	}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, errors.Join(os.WriteFile(packed, program, 0o600), os.WriteFile(overlay, text, 0o600))
}
