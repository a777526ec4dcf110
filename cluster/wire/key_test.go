package wire

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"strings"
	"testing"

	"dojo.example/data/rundir"

	"github.com/nats-io/nkeys"
)

// Before protocol 11, a key file contained the bare seed. A worker with such a file keeps its key
// and its name.
func TestOldKey(t *testing.T) {
	k, err := ParseKey([]byte("AEBAGBAFAYDQQCIKBMGA2DQPCAIREEYUCULBOGAZDINRYHI6D4QA\n"))
	if err != nil {
		t.Fatal(err)
	}
	private := ed25519.NewKeyFromSeed([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20"))
	if !bytes.Equal(k.Sign([]byte("x")), ed25519.Sign(private, []byte("x"))) {
		t.Error("another key was read")
	}
	const old = "box-RM37VBLQVXL6" // the worker's name with protocol 10
	if name := Identified("box", k.Public()); name != old {
		t.Errorf("the worker is called %s, and was called %s", name, old)
	}
}

// A signature is valid for only one key and one message. The hub's name for a worker belongs to one
// key.
func TestSigned(t *testing.T) {
	a, b := NewKey(), NewKey()
	signature := a.Sign([]byte("message"))
	raw, err := nkeys.Decode(nkeys.PrefixByteUser, []byte(a.Public()))
	if err != nil {
		t.Fatal(err)
	}
	account, err := nkeys.Encode(nkeys.PrefixByteAccount, raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"right":           Signed(a.Public(), []byte("message"), signature),
		"another key":     !Signed(b.Public(), []byte("message"), signature),
		"another message": !Signed(a.Public(), []byte("massage"), signature),
		"no signature":    !Signed(a.Public(), []byte("message"), nil),
		"no key":          !Signed("", []byte("message"), signature),
		"a short key":     !Signed("AAAA", []byte("message"), signature),
		"a line feed":     !Signed(a.Public()+"\n", []byte("message"), signature),
		"lower case":      !Signed(strings.ToLower(a.Public()), []byte("message"), signature),
		"another kind":    !Signed(string(account), []byte("message"), signature),
		"padding":         !Signed(a.Public()+"====", []byte("message"), signature),
	} {
		if !ok {
			t.Errorf("signed is wrong: %s", name)
		}
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	for i := range a.Public() { // changing any letter makes the key invalid, because the checksum covers all bits
		for _, letter := range alphabet {
			key := a.Public()[:i] + string(letter) + a.Public()[i+1:]
			if Signed(key, []byte("message"), signature) != (key == a.Public()) {
				t.Errorf("the spelling %s of the key %s is taken wrongly", key, a.Public())
			}
		}
	}
	for low := range byte(8) { // nkeys.Decode ignores these bits of the prefix
		prefixed := append([]byte{byte(nkeys.PrefixByteUser) | low}, raw...)
		key := letters.EncodeToString(binary.LittleEndian.AppendUint16(prefixed, checksum(prefixed)))
		if Signed(key, []byte("message"), signature) != (low == 0) {
			t.Errorf("the key with %d in the last bits of its prefix is taken wrongly", low)
		}
	}
	one, two := Identified("box", a.Public()), Identified("box", b.Public())
	if one == two || rundir.KeyOf(one) != rundir.KeyOf(Identified("box-2", a.Public())) || len(rundir.KeyOf(one)) != rundir.KeyLetters {
		t.Errorf("two workers called box are %s and %s", one, two)
	}
}

// checksum returns the CRC-16 checksum of data, as nkeys computes it.
func checksum(data []byte) (crc uint16) {
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			top := crc >> 15
			crc = crc<<1 ^ top*0x1021
		}
	}
	return crc
}
