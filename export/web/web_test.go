package web_test

import (
	"bytes"
	"cmp"
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

// site writes an export of a game with a model that has learned nothing.
func site(t *testing.T, game string, program, support []byte) (dir string) {
	t.Helper()
	return siteOf(t, untrained(t, game), program, support)
}

// siteOf writes an export of a model.
func siteOf(t *testing.T, c *model.Checkpoint, program, support []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files, err := web.Files(c, program, support, []string{"a test"})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// inChromium runs a script of the folder independent and reads what it prints.
func inChromium(t *testing.T, result any, script string, args ...string) {
	t.Helper()
	cmd := exec.Command("node", append([]string{script}, args...)...)
	cmd.Dir, cmd.Env = "independent", append(os.Environ(), "CHROMIUM="+chromium())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", script, strings.Join(args, " "), err, stderr.String())
	}
	if err := json.Unmarshal(out, result); err != nil {
		t.Fatal(err)
	}
}

// chromium is the browser of the tests.
func chromium() string { return cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium") }

func needsChromium(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("independent/node_modules/axe-core"); err != nil {
		t.Skip("install Playwright and axe with: npm install --prefix export/web/independent --no-package-lock")
	}
	if _, err := os.Stat(chromium()); err != nil {
		t.Skip("install Chromium, or name it in CHROMIUM")
	}
}

// A whole game of each is clicked through in Chromium, one is dragged, two are played by
// keys alone, served by a server that knows nothing but files.
func TestGamesInTheBrowser(t *testing.T) {
	needsChromium(t)
	program, support := wasm(t)
	for _, c := range []struct{ game, way string }{
		{"tictactoe", "click"}, {"onitama", "click"}, {"wallonitama", "click"}, {"patchwork", "click"}, {"oanquan", "click"},
		{"patchwork", "drag"}, {"onitama", "keys"}, {"patchwork", "keys"},
	} {
		t.Run(c.game+"/"+c.way, func(t *testing.T) {
			var r struct {
				State, Status, Speed, Title, Footer string
				Moves, Listed, Acts, Dragged        int
				Undone, Hinted                      bool
				Errors, Axe                         []string
			}
			inChromium(t, &r, "play.mjs", site(t, c.game, program, support), c.way)
			if r.State != "over" || r.Moves < 3 || r.Listed != r.Moves || len(r.Errors) > 0 || !r.Undone || !r.Hinted {
				t.Errorf("the game came to %+v", r)
			}
			if c.way == "drag" && r.Dragged < 3 {
				t.Errorf("only %d patches were dragged", r.Dragged)
			}
			if !strings.Contains(r.Status, "wins") && !strings.Contains(r.Status, "draw") {
				t.Errorf("at the end the page says %q", r.Status)
			}
			if !strings.HasSuffix(r.Speed, "simulations/s in this browser (SIMD relaxed)") || !strings.HasPrefix(r.Title, "dojo: ") || r.Footer != "a test" {
				t.Errorf("the page shows %q, %q and %q", r.Speed, r.Title, r.Footer)
			}
			for _, fault := range r.Axe {
				t.Error(fault)
			}
		})
	}
}

// What lies around a game: analysis, lines on the board, review, links, files, set-up,
// rules, a phone, and broken input, which is named in a line while the game goes on.
func TestPageInTheBrowser(t *testing.T) {
	needsChromium(t)
	program, support := wasm(t)
	for game, nonsense := range map[string]string{"onitama": "nonsense", "patchwork": "'n'", "oanquan": "nonsense"} { // what is named of it
		t.Run(game, func(t *testing.T) {
			var r struct {
				Grows                        string
				Curve, Jumped, Wide          int
				Rules, Weight                int
				Linked, Read, Clicked, Moves bool
				Broken                       map[string]any
				Errors, Axe                  []string
			}
			inChromium(t, &r, "around.mjs", site(t, game, program, support))
			if r.Grows == "" || r.Curve != 1 || r.Jumped != 0 || !r.Linked || !r.Read || !r.Clicked || !r.Moves || r.Rules < 500 {
				t.Errorf("the page came to %+v", r)
			}
			if r.Wide > 360 {
				t.Errorf("on a phone the page is %d pixels wide", r.Wide)
			}
			if r.Weight > 300_000 {
				t.Errorf("the page weighs %d bytes", r.Weight)
			}
			for what, names := range map[string]string{
				"text": nonsense, "file": "zz9", "position": nonsense, "moves": "zz9", "game": "chess", "page": "",
			} {
				if said, _ := r.Broken[what].(string); !strings.Contains(said, names) || strings.Contains(said, "\n") {
					t.Errorf("of a bad %s the page says %q", what, said)
				}
			}
			for _, what := range []string{"position", "moves", "game", "page"} {
				if r.Broken[what+" goes on"] != true {
					t.Errorf("after a bad %s in its address the page does not go on", what)
				}
			}
			for _, fault := range append(r.Axe, r.Errors...) {
				t.Error(fault)
			}
		})
	}
}

// A search finds the same in Chromium with all kernels, in floats and in 8 bits.
func TestKernelsInTheBrowser(t *testing.T) {
	needsChromium(t)
	program, support := wasm(t)
	for _, precision := range []model.Precision{model.Float32, model.Int8} {
		c := untrained(t, "onitama")
		if precision == model.Int8 {
			planes := make([]float32, 20*c.Planes.Size())
			rng := rand.New(rand.NewPCG(2, 2))
			for i := range planes {
				planes[i] = float32(rng.IntN(2))
			}
			c.Calibrate(planes)
		}
		var sides []struct{ Name, Kernels, Moves string }
		inChromium(t, &sides, "speed.mjs", siteOf(t, c, program, support), "0")
		if len(sides) != 3 {
			t.Fatalf("there are %d sides", len(sides))
		}
		for _, s := range sides {
			if s.Kernels != s.Name || s.Moves != sides[0].Moves || len(s.Moves) < 500 {
				t.Errorf("%s: with %s kernels, asked to be %s, a search finds\n%s\nand with %s\n%s", precision, s.Kernels, s.Name, s.Moves, sides[0].Kernels, sides[0].Moves)
			}
		}
	}
}

// Names foretells the files, so that an earlier export is known by them.
func TestNames(t *testing.T) {
	files, err := web.Files(untrained(t, "tictactoe"), smallModule, nil, nil)
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

func untrained(t *testing.T, name string) *model.Checkpoint {
	t.Helper()
	game, err := games.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	n := model.Network{Channels: 16, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}.For(game.Spec)
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
