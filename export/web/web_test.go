package web_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo/export/web"
	"dojo/games"
	"dojo/model"
)

// A whole game of each is clicked through in Chromium, served by a server that
// knows nothing but files.
func TestGamesInTheBrowser(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install Playwright with: npm install --prefix export/web/independent --no-package-lock")
	}
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	if _, err := os.Stat(chromium); err != nil {
		t.Skip("install Chromium, or name it in CHROMIUM")
	}
	program, support := wasm(t)
	for _, name := range []string{"onitama", "onitama with a sparse network", "wallonitama", "patchwork", "oanquan", "tictactoe"} {
		t.Run(name, func(t *testing.T) {
			kind := model.Residual
			name, sparse := strings.CutSuffix(name, " with a sparse network")
			if sparse {
				kind = model.Sparse
			}
			dir := t.TempDir()
			files, err := web.Files(untrained(t, name, kind), program, support, []string{"a test"})
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range files {
				if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("node", "click.mjs", dir)
			cmd.Dir, cmd.Env = "independent", append(os.Environ(), "CHROMIUM="+chromium)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("node: %v\n%s", err, stderr.String())
			}
			var r struct {
				State, Status, Speed, Title, Provenance string
				Moves, Clicks                           int
				Undone, Hinted                          bool
				Errors                                  []string
			}
			if err := json.Unmarshal(out, &r); err != nil {
				t.Fatal(err)
			}
			long := name != "tictactoe"
			if r.State != "over" || r.Moves < 3 || len(r.Errors) > 0 || !r.Undone && long || !r.Hinted && long {
				t.Errorf("the game came to %s", out)
			}
			if !strings.Contains(r.Status, "wins") && !strings.Contains(r.Status, "draw") {
				t.Errorf("at the end the page says %q", r.Status)
			}
			if !strings.HasSuffix(r.Speed, "simulations/s in this browser") || r.Title != "dojo: "+name || r.Provenance != "a test" {
				t.Errorf("the page shows %q, %q and %q", r.Speed, r.Title, r.Provenance)
			}
		})
	}
}

// Names foretells the files, so that an earlier export is known by them.
func TestNames(t *testing.T) {
	files, err := web.Files(untrained(t, "tictactoe", model.Residual), smallModule, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(slices.Values(web.Names())), slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("names are %v, files %v", got, want)
	}
}

// wasm builds the program and finds what Go has to load it with.
func wasm(t *testing.T) (program, support []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dojo.wasm")
	cmd := exec.Command("go", "build", "-o", path, "./wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := [][]byte{}
	for _, p := range []string{path, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")} {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	return files[0], files[1]
}

func untrained(t *testing.T, name string, kind model.NetworkKind) *model.Checkpoint {
	t.Helper()
	game, err := games.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	n := model.Network{
		Kind: kind, Channels: 16, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8,
		Sparse: model.SparseSizes{Columns: 32, Policy: 32, Value: 16, Hidden: 16},
	}.For(game.Spec)
	meta := model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "untrained"}
	return model.NewCheckpoint(meta, n, rand.New(rand.NewPCG(1, 1)))
}

// smallModule is a WebAssembly module of two sections.
var smallModule = []byte("\x00asm\x01\x00\x00\x00\x00\x03\x02ab\x0b\x02cd")

// TestFilesRefuseACutProgram cuts a module of two sections at every byte.
func TestFilesRefuseACutProgram(t *testing.T) {
	for n := range smallModule {
		if between := 8 + 2 + 3; n == between {
			continue // a whole module of one section
		}
		if _, err := web.Files(nil, smallModule[:n], nil, nil); err == nil {
			t.Errorf("the first %d bytes of %d are taken for a program", n, len(smallModule))
		}
	}
}
