package wire

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// A key in a file is the same each time, nobody else may read it, and a damaged one is named.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "worker")
	first, err := KeyFile(path, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	second, err := KeyFile(path, func(text string) { t.Error(text) })
	if err != nil || first.Public() != second.Public() {
		t.Errorf("the key was %s and is %s, %v", first.Public(), second.Public(), err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("no key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := KeyFile(path, func(text string) { t.Error(text) }); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged key: %v", err)
	}
}

// A signature is that of one key and one message, and the name of a worker that of one key.
func TestSigned(t *testing.T) {
	a, b := NewKey(), NewKey()
	signature := a.Sign([]byte("message"))
	for name, ok := range map[string]bool{
		"right":           Signed(a.Public(), []byte("message"), signature),
		"another key":     !Signed(b.Public(), []byte("message"), signature),
		"another message": !Signed(a.Public(), []byte("massage"), signature),
		"no signature":    !Signed(a.Public(), []byte("message"), ""),
		"no key":          !Signed("", []byte("message"), signature),
		"a short key":     !Signed("AAAA", []byte("message"), signature),
		"a line feed":     !Signed(a.Public()+"\n", []byte("message"), signature),
		"lower case":      !Signed(strings.ToLower(a.Public()), []byte("message"), signature),
		"padding":         !Signed(a.Public()+"====", []byte("message"), signature),
	} {
		if !ok {
			t.Errorf("signed is wrong: %s", name)
		}
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	for _, letter := range alphabet { // the last letter of a key has four bits that mean nothing, and that of a signature three
		key, sign := a.Public()[:51]+string(letter), signature[:102]+string(letter)
		if Signed(key, []byte("message"), signature) != (key == a.Public()) || Signed(a.Public(), []byte("message"), sign) != (sign == signature) {
			t.Errorf("the spelling %s of the key %s or %s of the signature %s is taken wrongly", key, a.Public(), sign, signature)
		}
	}
	one, two := Identified("box", a.Public()), Identified("box", b.Public())
	if one == two || rundir.KeyOf(one) != rundir.KeyOf(Identified("box-2", a.Public())) || len(rundir.KeyOf(one)) != rundir.KeyLetters {
		t.Errorf("two workers called box are %s and %s", one, two)
	}
}
