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

	"dojo.example/export/web"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/model"
)

// site writes an export of a game with an untrained model.
func site(t *testing.T, dir, game string, r web.Runtime) {
	t.Helper()
	siteOf(t, filepath.Join(dir, game), untrained(t, game), r)
}

// siteOf writes an export of a model into a new folder.
func siteOf(t *testing.T, dir string, c *model.Checkpoint, r web.Runtime) {
	t.Helper()
	files, err := web.Files(c, r, []string{"a test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// chromium returns the path of the browser for tests.
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

// inChromium runs a script from the folder independent and returns its output.
func inChromium(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("node", append([]string{script}, args...)...)
	cmd.Dir, cmd.Env = "independent", append(os.Environ(), "CHROMIUM="+chromium())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, stderr.String())
	}
	return out
}

// tasks lists, for each game, the tests that independent/all.mjs runs. The tests click, drag and
// keys each play a whole game with this kind of input. The test around covers the rest of the page,
// and touch plays with taps and drags on an emulated phone.
var tasks = map[string][]string{
	"tictactoe":   {"click"},
	"onitama":     {"click", "keys", "around", "touch"},
	"wallonitama": {"click"},
	"patchwork":   {"click", "drag", "keys", "around", "touch"},
	"oanquan":     {"click", "around", "touch"},
}

// A task is the result of one task of independent/all.mjs.
type task struct {
	Game, Task, Error string
	Errors, Axe       []string // errors in the page's console, and accessibility faults

	// results of the tasks that play a whole game
	State, Status, Speed, Title, Footer string
	Listed, Acts, Dragged               int
	Undone, Hinted                      bool

	// results of the task around
	Grows                                      string
	Curve, Jumped, Rules                       int
	Line                                       int
	Variations, Removed, Read, Clicked, Motion bool
	Broken                                     map[string]any

	// results of the task touch: Link describes what a wide page shows, and Linked what a phone
	// shows after opening the wide page's link
	Link, Linked string
	Wide         int

	Moves int
}

// The pages of the games work in Chromium when a static file server serves them. If DOJO_PICTURES
// names a folder, screenshots of the pages are saved there.
func TestInTheBrowser(t *testing.T) {
	needsChromium(t)
	r := wasm(t)
	dir := t.TempDir()
	for game := range tasks {
		site(t, dir, game, r)
	}
	text, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]task{}
	for line := range bytes.Lines(inChromium(t, "all.mjs", dir, string(text))) {
		var r task
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		done[r.Game+"/"+r.Task] = r
	}
	for game, names := range tasks {
		for _, name := range names {
			t.Run(game+"/"+name, func(t *testing.T) {
				r, ok := done[game+"/"+name]
				switch {
				case !ok:
					t.Fatal("was not tried, for an earlier task of the game failed")
				case r.Error != "":
					t.Fatal(r.Error)
				}
				for _, fault := range append(r.Axe, r.Errors...) {
					t.Error(fault)
				}
				switch name {
				case "around":
					checkAround(t, r)
				case "touch":
					checkTouch(t, r)
				default:
					checkGame(t, r)
				}
			})
		}
	}
}

// checkGame checks the result of playing a whole game.
func checkGame(t *testing.T, r task) {
	t.Helper()
	if r.State != "over" || r.Moves < 3 || r.Listed != r.Moves || !r.Undone || !r.Hinted {
		t.Errorf("the game came to %+v", r)
	}
	if r.Task == "drag" && r.Dragged < 3 {
		t.Errorf("only %d patches were dragged", r.Dragged)
	}
	if !strings.Contains(r.Status, "wins") && !strings.Contains(r.Status, "draw") {
		t.Errorf("at the end the page says %q", r.Status)
	}
	if !strings.HasSuffix(r.Speed, "simulations/s in this browser (SIMD relaxed)") || !strings.HasPrefix(r.Title, "dojo: ") || r.Footer != "a test" {
		t.Errorf("the page shows %q, %q and %q", r.Speed, r.Title, r.Footer)
	}
}

// checkAround checks analysis, variations, review, links, files, set-up, rules, and broken input.
// The page must show each broken input in one line and go on with the game.
func checkAround(t *testing.T, r task) {
	t.Helper()
	if r.Grows == "" || r.Curve != 1 || r.Jumped != 0 || !r.Read || !r.Clicked || !r.Motion || r.Rules < 500 {
		t.Errorf("the page came to %+v", r)
	}
	if !r.Variations || !r.Removed || r.Line < 2 {
		t.Errorf("variations are lost: %+v", r)
	}
	// nonsense is the part of the broken input that the page's error message must quote.
	nonsense := map[string]string{"onitama": "nonsense", "patchwork": "'n'", "oanquan": "nonsense"}[r.Game]
	for what, names := range map[string]string{
		"text": nonsense, "file": "zz9", "position": nonsense, "moves": "zz9", "brackets": "(a", "game": "chess", "page": "",
	} {
		if said, _ := r.Broken[what].(string); !strings.Contains(said, names) || strings.Contains(said, "\n") {
			t.Errorf("of a bad %s the page says %q", what, said)
		}
	}
	for _, what := range []string{"position", "moves", "brackets", "game"} {
		if r.Broken[what+" goes on"] != true {
			t.Errorf("after a bad %s in its address the page does not go on", what)
		}
	}
}

// checkTouch checks that a link opens the same position on a phone, that the page fits the screen,
// and that moves were made.
func checkTouch(t *testing.T, r task) {
	t.Helper()
	// On a phone, the board of Ô ăn quan is upright, so its sides have other names.
	upright := strings.NewReplacer("Above", "Right", "Below", "Left")
	if r.Linked != upright.Replace(r.Link) || r.Moves == 0 {
		t.Errorf("the phone came to %+v", r)
	}
	if r.Wide > 360 {
		t.Errorf("on a phone the page is %d pixels wide", r.Wide)
	}
}

// most is the largest allowed size of a page's files in bytes, without the model and the
// WebAssembly program.
const most = 300_000

func TestWeight(t *testing.T) {
	files, err := web.Files(untrained(t, "tictactoe"), web.Runtime{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	weight := 0
	for name, text := range files {
		if ext := filepath.Ext(name); ext != ".gzip" {
			weight += len(text)
		}
	}
	if weight > most {
		t.Errorf("the page weighs %d bytes, more than %d", weight, most)
	}
}

// The first visit shows the progress of loading the program and the model. A later visit needs no
// network. Browsers offer to install the page.
func TestVisits(t *testing.T) {
	needsChromium(t)
	dir := t.TempDir()
	site(t, dir, "tictactoe", wasm(t))
	var visits struct {
		Errors, Installing []string
		// Share is the fraction that the progress bar showed when half of the program had arrived.
		// The bar measures the program and the model together.
		Share float64
		// Early is the number of boards that the page showed before everything had arrived. Bar is
		// the number of progress bars that remained afterwards.
		Early, Bar int
		Offline    bool
	}
	if err := json.Unmarshal(inChromium(t, "visit.mjs", filepath.Join(dir, "tictactoe")), &visits); err != nil {
		t.Fatal(err)
	}
	for _, e := range visits.Errors {
		if !strings.Contains(e, "ERR_CONNECTION_REFUSED") {
			t.Error(e)
		}
	}
	if visits.Share <= 0.5 || visits.Share >= 1 || visits.Early+visits.Bar != 0 || len(visits.Installing) > 0 || !visits.Offline {
		t.Errorf("the visits came to %+v", visits)
	}
}

// A first visit over a connection of 10 Mbit/s is fast enough: transferring the files takes at most
// 2.5 seconds, and the progress bar appears before half of the time to a playable page has passed.
// The test only logs the other times, because they depend on the machine.
func TestFirstVisit(t *testing.T) {
	needsChromium(t)
	c, err := box.Load("onitama")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "onitama")
	siteOf(t, dir, c, wasm(t))
	var first struct {
		Errors          []string
		Progress, Plays float64 // seconds since the visit began
		Line            float64 // seconds that the connection needs to transfer the files
	}
	if err := json.Unmarshal(inChromium(t, "first.mjs", dir), &first); err != nil {
		t.Fatal(err)
	}
	t.Logf("progress after %.2f s, play after %.2f s; the line alone takes %.2f s", first.Progress, first.Plays, first.Line)
	for _, e := range first.Errors {
		t.Error(e)
	}
	if first.Plays < first.Line/2 {
		t.Errorf("the visit took %.2f s, less than the line: it is not emulated", first.Plays)
	}
	if first.Line > 2.5 {
		t.Errorf("the files take %.2f s of the line", first.Line)
	}
	if first.Progress <= 0 || first.Progress > first.Plays/2 {
		t.Errorf("progress is shown after %.2f s of %.2f s", first.Progress, first.Plays)
	}
}

// In Chromium, a search gives the same result with all kinds of kernels, in floats and in 8 bits.
func TestKernelsInTheBrowser(t *testing.T) {
	needsChromium(t)
	r := wasm(t)
	for _, precision := range []model.Precision{model.Float32, model.Int8} {
		c := untrained(t, "onitama")
		if precision == model.Int8 {
			in, planes := c.NewInput(), make([]float32, c.Planes.Size())
			rng := rand.New(rand.NewPCG(2, 2))
			for range 20 {
				for i := range planes {
					planes[i] = float32(rng.IntN(2))
				}
				in.Planes = append(in.Planes, planes...)
				in.EndRow()
			}
			c.Calibrate(in)
		}
		var sides []struct{ Name, Kernels, Moves string }
		dir := filepath.Join(t.TempDir(), "site")
		siteOf(t, dir, c, r)
		if err := json.Unmarshal(inChromium(t, "speed.mjs", dir, "0"), &sides); err != nil {
			t.Fatal(err)
		}
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

// Names returns the names of all files of an export. A later export uses these names to recognise
// the files of an earlier one.
func TestNames(t *testing.T) {
	files, err := web.Files(untrained(t, "tictactoe"), web.Runtime{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(slices.Values(web.Names())), slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("names are %v, files %v", got, want)
	}
}

// wasm builds the program for the browser, and finds the file of the Go toolchain that loads it.
func wasm(t *testing.T) (r web.Runtime) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dojo.wasm")
	cmd := exec.Command("go", "build", "-o", path, "dojo.example/cmd/dojo")
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
	program, err := web.Pack(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return web.Runtime{Program: program, Support: files[1]}
}

func untrained(t *testing.T, name string) *model.Checkpoint {
	t.Helper()
	game, err := games.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	n := model.Network{Body: model.Residual{Channels: 16, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}
	// Most games use a sparse network, because it is faster. Only onitama tests the residual one.
	if name != "onitama" {
		n.Body = model.Sparse{Columns: 32, Policy: 32, Value: 16, Hidden: 16}
	}
	n = n.For(game.Spec)
	meta := model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "untrained"}
	return model.NewCheckpoint(meta, n, rand.New(rand.NewPCG(1, 1)))
}

// smallModule is a WebAssembly module of two sections.
var smallModule = []byte("\x00asm\x01\x00\x00\x00\x00\x03\x02ab\x0b\x02cd")

// TestPackRefusesACutProgram truncates a module of two sections after every byte. Pack must refuse
// what is left.
func TestPackRefusesACutProgram(t *testing.T) {
	for n := range smallModule {
		if between := 8 + 2 + 3; n == between {
			continue // the cut is between two sections, so the first one still is a complete module
		}
		if _, err := web.Pack(smallModule[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are taken for a program", n, len(smallModule))
		}
	}
}
