package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"
)

// keyFile returns the same key each time. No other user may read the file. The error about a
// damaged file names the file.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "worker")
	first, err := keyFile(path, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	second, err := keyFile(path, func(text string) { t.Error(text) })
	if err != nil || first.Public() != second.Public() {
		t.Errorf("the key was %s and is %s, %v", first.Public(), second.Public(), err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	account, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := account.Seed()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"no key", "AAAA", "", first.Public(), string(seed)} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := keyFile(path, func(text string) { t.Error(text) }); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("a damaged key %q: %v", text, err)
		}
	}
}
