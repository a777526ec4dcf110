package data_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/engine/tictactoe"
)

// The reader rejects files that are damaged or were crafted to exhaust memory. It needs little more
// memory for them than for a valid file. Another process reads each file, because a Go program
// exits when it cannot get more memory.
func TestPeak(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if err := data.WriteShard(good, provenance, rows(500)); err != nil {
		t.Fatal(err)
	}
	says, usual := peak(t, good, 100)
	if says != "" {
		t.Fatal(says)
	}
	flipped, err := os.ReadFile("testdata/codec-bit-flipped.parquet")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 250_000)
	texts := many(t, 1000, func(r *data.Row) { r.Position = long })
	equal := many(t, 1_000_000, func(*data.Row) {})
	for _, test := range []struct {
		name    string
		content []byte
		games   int // number of games in the shard; 0 if the run is not known
		cause   string
	}{
		{"a codec that dojo does not write", flipped, 0, "its column run is compressed with LZ4_RAW, not ZSTD"},
		{"long texts", texts, 32, "it is longer than"},
		// The footer of this file is too large, because it contains two of the long texts.
		{"long texts in a large shard", texts, 32000, "its footer has 501"},
		{"long texts, and no run", texts, 0, "its footer has 501"},
		{"a text that is longer than the game's", many(t, 9, func(r *data.Row) { r.Position = long[:10] }), 32, "a text has 10 bytes, but in this shard it may have at most 9"},
		{"long texts in a dictionary", written(t, repeat(8000, func(r *inDictionary) { r.Position = long[:20_000] })), 0, "a text of 20000 bytes, more than the limit of 1024"},
		{"long names", written(t, repeat(8000, func(r *data.Row) { r.Run = long[:20_000] })), 0, "a text of 20000 bytes, more than the limit of 1024"},
		{"equal rows", equal, 32, "it has 1000000 rows, but this shard may have at most 288"},
		{"equal rows, and no run", equal, 0, "it has 1000000 rows, but this shard may have at most 262144"},
		{"long policies", many(t, 8000, func(r *data.Row) { r.Policy = make([]data.Weight, 3000) }), 0, "its column policy.list.element.action has"},
		{"a list of 2^31 columns", footer("\x29\xfc\xff\xff\xff\xff\x07"), 0, "lists of more than 4096 elements"},
		{"a footer of 4 GB", []byte("PAR1\x00\x00\x00\xff\xff\xff\xffPAR1"), 0, "its footer should have 4294967295 bytes"},
	} {
		path := filepath.Join(dir, "shard")
		if err := os.WriteFile(path, test.content, 0o644); err != nil {
			t.Fatal(err)
		}
		says, got := peak(t, path, test.games)
		t.Logf("%s: %d bytes of a file, %d MB", test.name, len(test.content), got>>20)
		if !strings.Contains(says, test.cause) || got > usual+200<<20 {
			t.Errorf("%s: the reader says %q and takes %d MB, want %q and not much more than %d MB", test.name, says, got>>20, test.cause, usual>>20)
		}
	}
}

// inDictionary is a row type that stores positions in a dictionary.
type inDictionary struct {
	Run        string        `parquet:"run,dict"`
	Generation int32         `parquet:"generation"`
	Game       int64         `parquet:"game"`
	Ply        int32         `parquet:"ply"`
	Position   string        `parquet:"position,dict"`
	Mover      int32         `parquet:"mover"`
	Action     int32         `parquet:"action"`
	Policy     []data.Weight `parquet:"policy,list"`
	Value      float32       `parquet:"value"`
	Outcome    int32         `parquet:"outcome"`
	Margin     int32         `parquet:"margin"`
	TurnsLeft  int32         `parquet:"turns_left"`
	Model      string        `parquet:"model,dict"`
}

// repeat returns n equal rows. The function change sets the fields of the row.
func repeat[T any](n int, change func(*T)) []T {
	all := make([]T, n)
	for i := range all {
		change(&all[i])
	}
	return all
}

// many returns a shard of n equal rows. The function change sets the fields of the row. many writes
// the rows in parts, to save memory.
func many(t *testing.T, n int, change func(*data.Row)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := writer[data.Row](&b)
	for from := 0; from < n; from += 1000 {
		if _, err := w.Write(repeat(min(1000, n-from), change)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// footer returns a file that has only a footer, which contains text.
func footer(text string) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte("PAR1"+text), uint32(len(text))), "PAR1"...)
}

const peakFile, peakGames = "DOJO_TEST_SHARD", "DOJO_TEST_GAMES"

// peak starts another process, limited to 8 GB, that reads a shard of tic-tac-toe with the given
// number of games. It returns the reader's error and the most memory that the process used, in
// bytes. The kernel counts from the moment at which the new process starts its program, so the
// memory of the parent process is not included.
func peak(t *testing.T, path string, games int) (says string, most int64) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `ulimit -v 8000000; exec "$0" -test.run='^TestPeakOfOne$'`, os.Args[0])
	cmd.Env = append(os.Environ(), peakFile+"="+path, peakGames+"="+strconv.Itoa(games))
	out, err := cmd.CombinedOutput()
	text, rest, ok := strings.Cut(string(out), "\x00")
	if _, bad := fmt.Sscan(rest, &most); !ok || bad != nil {
		return fmt.Sprintf("%v: %.200s", err, out), 1 << 40
	}
	return text, most << 10
}

// TestPeakOfOne reads one file. The function peak starts it in a process of its own.
func TestPeakOfOne(t *testing.T) {
	path := os.Getenv(peakFile)
	if path == "" {
		t.Skip("TestPeak runs it")
	}
	games, _ := strconv.Atoi(os.Getenv(peakGames))
	limits := data.Limits{}
	switch {
	case games == 100: // the good shard is not from tic-tac-toe
		limits.Rows = 1000
	case games > 0:
		limits = data.LimitsOf(tictactoe.Rules.Spec, games)
	}
	_, _, err := data.ReadShard(path, limits)
	if err != nil {
		fmt.Print(err)
	}
	status, _ := os.ReadFile("/proc/self/status")
	_, most, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Print("\x00", most)
}
