package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// compareRuns compares the files of two runs, ignoring times.
func compareRuns(t *testing.T, want, got string) {
	t.Helper()
	wanted, found := runFiles(t, want), runFiles(t, got)
	for name, content := range wanted {
		if other, ok := found[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if other != content {
			t.Errorf("%s differs", name)
		}
	}
	for name := range found {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s is too many", name)
		}
	}
}

// runFiles returns the contents of a run's files by file name, without the time-dependent values in
// records and metrics.
func runFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"best", "metrics.jsonl", "samples/*/*", "models/*", "trainer/*", "gates/*", "generations/*"} {
		paths, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(folder, path)
			if err != nil {
				t.Fatal(err)
			}
			switch filepath.Dir(name) {
			case ".", "generations":
				if strings.HasPrefix(filepath.Ext(name), ".json") {
					content = withoutTimes(t, content)
				}
			case "trainer":
				content = untimedState(content)
			}
			files[name] = string(content)
		}
	}
	if len(files) < 8 {
		t.Fatalf("%s has only %d files: %v", folder, len(files), fs.ErrNotExist)
	}
	return files
}

// withoutTimes removes all time-dependent values from the JSON objects in text.
func withoutTimes(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		removeTimes(object)
		if err := encoder.Encode(object); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// untimedState returns the content of a trainer's state file without the times in its header and
// without the checksum, which depends on them.
func untimedState(content []byte) []byte {
	// The file begins with the length of the header, in eight bytes. Then follows the header,
	// padded with spaces.
	const before = 8
	n := before + int(binary.LittleEndian.Uint64(content))
	header := timesInState.ReplaceAll(bytes.TrimRight(content[before:n], " "), nil)
	return append(header, content[n:]...)
}

var timesInState = regexp.MustCompile(`\\"(samples_per_second|seconds)\\":[0-9.e+-]+|"sha256":"[0-9a-f]+",`)

func removeTimes(object map[string]any) {
	for key, value := range object {
		if inner, ok := value.(map[string]any); ok {
			removeTimes(inner)
		} else if key == "time" || key == "seal" || strings.HasSuffix(key, "seconds") || strings.HasSuffix(key, "_per_second") {
			delete(object, key)
		}
	}
}
