package configs_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

func TestPresetsLoad(t *testing.T) {
	for _, name := range configs.Names() {
		if _, err := configs.Load(name); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
	}
}

// A run.yaml keeps the comments of its preset, except the comments of settings that were changed.
// It keeps them even when the number of generations is changed later.
func TestCommentsAreKept(t *testing.T) {
	request := configs.Request{
		Preset:   write(t, "# for an evening\ngame: onitama\nmcts:\n  simulations: 5 # few\ntrain:\n  passes: 7 # many\n  lag: 1 # one\n"),
		Folder:   rundir.Folder(filepath.Join(t.TempDir(), "run")),
		Settings: []string{"train.passes=3"},
	}
	var kept []string
	for _, generations := range []int{0, 9} {
		request.Generations = generations
		p, err := configs.Prepare(request)
		if err == nil {
			err = p.Begin()
		}
		if err != nil {
			t.Fatal(err)
		}
		kept = nil
		for _, line := range strings.Split(string(p.Text), "\n") {
			if strings.Contains(line, "#") {
				kept = append(kept, strings.TrimSpace(line))
			}
		}
		want := []string{"# for an evening", "simulations: 5 # few", "lag: 1 # one"}
		if !slices.Equal(kept, want) {
			t.Errorf("with --generations %d the comments are %q, want %q", generations, kept, want)
		}
	}
}

// A setting changes only its own key.
func TestSet(t *testing.T) {
	c, err := configs.Load("onitama-quick", "mcts.simulations=7", "seed=3")
	if err != nil {
		t.Fatal(err)
	}
	want, err := configs.Load("onitama-quick")
	if err != nil {
		t.Fatal(err)
	}
	want.MCTS.Simulations, want.Seed = 7, 3
	if c != want {
		t.Errorf("settings gave %+v, want %+v", c, want)
	}
}

// A key in a file replaces only the default value of that key. Other keys keep their defaults.
func TestFilesNeedNotSayEverything(t *testing.T) {
	c, err := configs.Load(write(t, "game: onitama\nmcts:\n  simulations: 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := configs.Default()
	want.Game, want.MCTS.Simulations = "onitama", 5
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}

// Every error message is one line that names file, line and key.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, line, says string }{
		{"game: x\nmtcs:\n  simulations: 5\n", ":2:", "mtcs"},
		{"game: x\nmcts:\n  simulatons: 5\n", ":3:", "simulatons"},
		{"game: x\nmcts:\n  simulations: many\n", ":3:", "many"},
		{"game: x\nmcts:\n  simulations: 1.5\n", ":3:", "1.5"},
		{"game: x\nmcts:\n  simulations: 0\n", ":3:", "simulations: 0 is not between 1 and"},
		{"game: x\nnetwork:\n  kind: residual\n  channels: 33\n", ":4:", "channels: 33"},
		{"game: x\ntrain:\n  optimiser:\n    batch: 0\n", ":4:", "batch"},
		{"game: x\ngate:\n  games: 7\n", ":3:", "games: 7 is not an even number"},
		{"game: [\n", ":1:", ""},
		{"nonsense\n", ":1:", "lines of the form key: value are expected here"},
		{"seed: 4\n", "", "game: missing"},
		{"game: x\nseed: -1\n", ":2:", "-1"},
		{"game: x\nseed: 18446744073709551616\n", ":2:", "18446744073709551616"},
		{"game: x\nseed: 1e400\n", ":2:", "1e400"},
		{"game: x\nmcts:\n  simulations: 9e18\n", ":3:", "9e18"},
		{"game: x\nmcts:\n  simulations: 9000000000000000000\n", ":3:", "simulations: 9000000000000000000"},
		{"game: x\nmcts:\n  noise_alpha: 1e30\n", ":3:", "noise_alpha"},
		{"game: x\ngate:\n  games: 1000000000000000000\n", ":3:", "games: 1000000000000000000"},
		{"game: x\ntrain:\n  generations: 1000000000000\n", ":3:", "generations: 1000000000000"},
		{"game: x\ntrain:\n  lag: 2\n", ":3:", "lag: 2 is neither 0 nor 1"},
		{"game: x\ntrain:\n  lag: 0.5\n", ":3:", "train.lag: 0.5 is not a whole number"},
		{"game: x\ntrain:\n  window_max: 1000000000000\n", ":3:", "window_max: 1000000000000"},
		{"game: x\ntrain:\n  warmup_steps: 1000000000000000\n", ":3:", "warmup_steps: 1000000000000000"},
		{"game: x\nselfplay:\n  temperature_plies: 9000000000000000000\n", ":3:", "temperature_plies: 9000000000000000000"},
		{"game: x\ntrain:\nseed: 2\n", ":2:", "train: the value is missing"},
		{"game: x\ntrain: null\n", ":2:", "train: the value is missing"},
		{"game: x\ntrain:\n  passes:\n", ":3:", "train.passes: the value is missing"},
		{"game:\n", ":1:", "game: the value is missing"},
		{"game: \"\"\n", ":1:", "game"},
		{"game: x\nseed: 010\n", ":2:", "seed: 010 begins with a zero, so YAML would read it as an octal number; write 10"},
		{"game: x\nmcts:\n  simulations: 0064\n", ":3:", "write 64"},
		{"game: x\nmcts:\n  cpuct: 01.5\n", ":3:", "write 1.5"},
		{"game: x\n---\nseed: 2\n", ":3:", "a second YAML document begins"},
	} {
		_, err := configs.Load(write(t, c.text))
		if err == nil {
			t.Errorf("%q was accepted", c.text)
			continue
		}
		if msg := err.Error(); !strings.Contains(msg, "mine.yaml"+c.line) || !strings.Contains(msg, c.says) || strings.Contains(msg, "\n") {
			t.Errorf("%q: error %q should be one line with %q and %q", c.text, msg, "mine.yaml"+c.line, c.says)
		}
	}
	for _, text := range []string{
		"game: x\nmcts: " + strings.Repeat("[", 40_000), "game: x\nmcts:" + strings.Repeat("\n - - - - [{", 900),
		"game: x\nmcts: " + strings.Repeat("{a: ", 200), "game: x\n" + strings.Repeat("- ", 499),
		"game: x\n#" + strings.Repeat("x", 1<<16),
	} {
		if _, err := configs.Load(write(t, text)); err == nil || !strings.Contains(err.Error(), "mine.yaml") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q… should be refused in one line that names the file: %v", text, err)
		}
	}
	for _, s := range []string{"mcts.simulations", "mcts.simulatons=4", "mcts.simulations=0", "mcts.simulations=1.5", "=3",
		"seed=18446744073709551616", "game=", "game=null", "train=null", "train=", "train.passes=~", "mcts.simulations=", "seed=010", "mcts.simulations=0100"} {
		_, err := configs.Load("onitama-quick", s)
		if err == nil || !strings.Contains(err.Error(), s) || strings.Contains(err.Error(), s+":3") {
			t.Errorf("--set %s: error %v should name it, and no line", s, err)
		}
	}
	for s, says := range map[string]string{
		"seed=-1": "a whole number, 0 or more,", "seed=abc": "a whole number, 0 or more,", "mcts.simulations=abc": "a whole number",
		"mcts.simulations=true": "a whole number", "train.passes=[1]": "a number", "data.keep=1e30": "a whole number", "seed.x=1": "a whole number",
	} {
		_, err := configs.Load("onitama-quick", s)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("--set %s: error %v should say %q", s, err, says)
		}
	}
	if _, err := configs.Load("onitamma"); err == nil || !strings.Contains(err.Error(), "onitama-quick") {
		t.Errorf("an unknown preset should list those there are: %v", err)
	}
}

// Files that were written on Windows, with a byte order mark and with CR LF at the ends of lines,
// are read like other files. A line --- may come before or after the only document.
func TestFilesOfWindows(t *testing.T) {
	want, err := configs.Load(write(t, "game: x\nseed: 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"\uFEFFgame: x\nseed: 7\n", "game: x\r\nseed: 7\r\n", "\uFEFFgame: x\r\nseed: 7\r\n", "---\ngame: x\nseed: 7\n", "game: x\nseed: 7\n---\n"} {
		if c, err := configs.Load(write(t, text)); err != nil || c != want {
			t.Errorf("%q reads as %+v, %v", text, c, err)
		}
	}
	if _, err := configs.Load(write(t, "\xff\xfeg\x00a\x00m\x00e\x00:\x00 \x00x\x00\n\x00")); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16 is not named: %v", err)
	}
}

// A key of older files that no longer has an effect is ignored.
func TestRetiredKeys(t *testing.T) {
	want, err := configs.Load(write(t, "game: x\nmcts:\n  simulations: 5\n  tactics:\n    leaf: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := configs.Load(write(t, "game: x\nmcts:\n  simulations: 5\n  cache: 8192\n  tactics:\n    leaf: 1\n"))
	if err != nil || got != want {
		t.Errorf("with mcts.cache the configuration is %+v, %v; without it %+v", got, err, want)
	}
}

func TestFreeze(t *testing.T) {
	folder := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if _, err := configs.Thaw(folder); !errors.Is(err, rundir.ErrNoRun) {
		t.Errorf("thawing nothing: %v, want ErrNoRun", err)
	}
	c, err := configs.Load("onitama", "network.kind=residual", "train.passes=2.5", "train.lag=0", "seed=18446744073709551615")
	if err != nil {
		t.Fatal(err)
	}
	text, err := configs.Frozen{Program: "v1", Config: c}.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Begin(text, nil); err != nil {
		t.Fatal(err)
	}
	f, err := configs.Thaw(folder)
	if err != nil || f.Config != c || f.Program != "v1" {
		t.Errorf("thawed %+v, %v; want %+v", f, err, c)
	}

	if strings.Contains(string(text), "lag") {
		t.Error("a run without a lag has a key that programs before it refuse")
	}
	good := string(text)
	for _, c := range []struct{ was, is, says string }{
		{"format: 4", "format: 99\nnews: 1", "format 99"},
		{"format: 4", "format: 3", "format 3"},
		{"\nchecksum: ", "\n#hecksum: ", "its checksum does not match"},
		{"passes: 2.5", "passes: 2.0", "its checksum does not match"},
		{"passes: 2.5", "passes: many", "run.yaml:"},
		{"blocks: 4", "blocks: -4", "run.yaml: network: blocks: -4"},
		{"seed:", "seed: [", "run.yaml:"},
		{good, "", "not the configuration of a run"},
	} {
		bad := strings.Replace(good, c.was, c.is, 1)
		if bad == good {
			t.Fatalf("%q is not in the frozen configuration", c.was)
		}
		if err := os.WriteFile(folder.ConfigPath(), []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := configs.Thaw(folder); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("with %q in place of %q: %v, want an error with %q", c.is, c.was, err, c.says)
		}
	}
}

// A setting for self-play does not change the search constants of players, or vice versa. The
// run.yaml of an older program has no players section and does not get one. It counts as equal to
// the same configuration with the default section.
func TestPlayers(t *testing.T) {
	for _, x := range []struct {
		setting      string
		play, search float32 // expected cpuct of players (play) and of self-play (search)
	}{{"mcts.cpuct=1.51", think.Players().CPuct, 1.51}, {"players.cpuct=1.2", 1.2, mcts.Default().CPuct}} {
		c, err := configs.Load("onitama-quick", x.setting)
		if err != nil || c.Players.CPuct != x.play || c.MCTS.CPuct != x.search || c.Players.CPuctBase != think.Players().CPuctBase {
			t.Errorf("with %s players have %+v, self-play %+v, %v", x.setting, c.Players, c.MCTS.Constants, err)
		}
	}
	if _, err := configs.Load("onitama-quick", "players.cpuct=-1"); err == nil || !strings.Contains(err.Error(), "players: cpuct: -1 is not positive") {
		t.Errorf("players.cpuct=-1: %v", err)
	}

	c, err := configs.Load("onitama-quick")
	if err != nil {
		t.Fatal(err)
	}
	old := c
	old.Players = mcts.Constants{}
	text, err := configs.Frozen{Program: "v1", Config: old}.Text()
	if err != nil || strings.Contains(string(text), "players") {
		t.Errorf("a run.yaml without players is %s, %v", text, err)
	}
	f, err := configs.Parse("run.yaml", text)
	if err != nil || f.Config != old || f.Config.Complete() != c {
		t.Errorf("it is read as %+v, %v", f.Config, err)
	}
	if again, err := f.Text(); err != nil || string(again) != string(text) {
		t.Errorf("it is written again as %s, %v", again, err)
	}
	folder := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if err := folder.Begin(text, nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range []configs.Request{{Folder: folder}, {Folder: folder, Preset: "onitama-quick"}, {Folder: folder, Settings: []string{"players.cpuct=0.7"}}} {
		if p, err := configs.Prepare(q); err != nil || p.Options.Players != (mcts.Constants{}) || string(p.Text) != string(text) {
			t.Errorf("%+v: the run has the players %+v, %v", q, p.Options.Players, err)
		}
	}
}

// If any single bit of a run.yaml flips, Parse returns an error that names the file. For most bytes
// the test flips only one bit, to save time. Load may still accept a changed run.yaml as a preset.
func TestChangedConfigurationIsNamed(t *testing.T) {
	c, err := configs.Load("onitama-quick")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := configs.Frozen{Program: "v1", Name: "a", Config: c}.Text()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := configs.Parse("run.yaml", whole); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(whole) {
		if at := i / 8; at > 20 && at < len(whole)-80 && at%8 != i%8 {
			continue
		}
		whole[i/8] ^= 1 << (i % 8)
		if _, err := configs.Parse("run.yaml", whole); err == nil || !strings.HasPrefix(err.Error(), "run.yaml") {
			t.Errorf("with bit %d of byte %d flipped: %v", i%8, i/8, err)
		}
		whole[i/8] ^= 1 << (i % 8)
	}
	text := strings.Replace(string(whole), "seed: 1\n", "seed: 2\n", 1)
	if got, err := configs.Load(write(t, text)); err != nil || got.Seed != 2 {
		t.Errorf("as a preset: seed %d, %v", got.Seed, err)
	}
}

// Load rejects a size of the other kind of network (sparse or residual), and a run.yaml contains no
// such size.
func TestSettingsOfTheOtherKind(t *testing.T) {
	for _, x := range []struct {
		preset, setting, more, says string
	}{
		{"tictactoe", "network.sparse.columns=100", "", "network: sparse.columns is only for sparse networks, but this network is residual; to change that, set its kind to sparse"},
		{"onitama", "network.channels=32", "", "network: channels is only for residual networks, but this network is sparse; to change that, set its kind to residual"},
		{"tictactoe", "network.sparse.columns=128", "network.kind=sparse", ""},
		{"onitama", "network.margin=20", "network.kind=sparse", ""},
		{"onitama", "network.channels=32", "network.kind=residual", ""},
	} {
		settings := []string{x.setting}
		if x.more != "" {
			settings = append(settings, x.more)
		}
		_, err := configs.Load(x.preset, settings...)
		if want := "--set " + x.setting + ": " + x.says; (err == nil) != (x.says == "") || err != nil && err.Error() != want {
			t.Errorf("%s with %q: %v, want %q", x.preset, settings, err, want)
		}
	}
	c, err := configs.Load("onitama")
	if err != nil {
		t.Fatal(err)
	}
	text, err := configs.Frozen{Program: "v1", Config: c}.Text()
	if err != nil {
		t.Fatal(err)
	}
	if f, err := configs.Parse("run.yaml", text); err != nil || f.Config != c || strings.Contains(string(text), "channels: ") {
		t.Errorf("a run.yaml of a sparse network: %v\n%s", err, text)
	}
	_, err = configs.Load(write(t, "game: onitama\nnetwork:\n  kind: sparse\n  channels: 32\n"))
	if want := "4: network: channels is only for residual networks, but this network is sparse"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a file with a size of the other kind: %v, want %q", err, want)
	}
}

// A run.yaml names network.sparse.half only if it is true, so that it stays as it was before this
// setting existed. Only sparse networks have the setting.
func TestHalfSetting(t *testing.T) {
	for _, half := range []bool{false, true} {
		c, err := configs.Load("onitama", fmt.Sprintf("network.sparse.half=%v", half))
		if err != nil {
			t.Fatal(err)
		}
		text, err := configs.Frozen{Program: "v1", Config: c}.Text()
		if err != nil || strings.Contains(string(text), "half: true\n") != half || strings.Contains(string(text), "half:") != half {
			t.Errorf("half %v: %v\n%s", half, err, text)
		}
		f, err := configs.Parse("run.yaml", text)
		if err != nil || f.Config != c || f.Config.Network.Model().Body.(model.Sparse).Half != half {
			t.Errorf("half %v is read as %+v, %v", half, f.Config.Network, err)
		}
	}
	if _, err := configs.Load("tictactoe", "network.sparse.half=true"); err == nil || !strings.Contains(err.Error(), "only for sparse networks") {
		t.Errorf("a residual network: %v", err)
	}
}

// A new configuration without network.kind has a sparse network. The run.yaml of an old run without
// network.kind has a residual network.
func TestKindThatIsNotNamed(t *testing.T) {
	c, err := configs.Load(write(t, "game: tictactoe\n"))
	if err != nil || c.Network.Model() != (model.Network{Body: model.DefaultSparse()}) {
		t.Errorf("a new configuration has %+v, %v", c.Network, err)
	}
	c, err = configs.Load("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	want := model.Network{Body: model.Residual{Channels: 32, Blocks: 2, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 32}}
	if c.Network.Model() != want {
		t.Errorf("tictactoe has %+v", c.Network)
	}
	text, err := configs.Frozen{Program: "v1", Config: c}.Text()
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(strings.Replace(string(text), "    kind: residual\n", "", 1), "checksum: ")
	if f, err := configs.Parse("run.yaml", fmt.Appendf(nil, "%schecksum: %x\n", head, sha256.Sum256([]byte(head)))); err != nil || f.Config.Network != c.Network || strings.Contains(head, "kind:") {
		t.Errorf("an old run has %+v, %v; want %+v\n%s", f.Config.Network, err, c.Network, head)
	}
}

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
