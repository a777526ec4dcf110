package binary

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/games/box"
)

// findPayload finds the checkpoint that Write has added, even if a signature follows it.
func TestPayload(t *testing.T) {
	parse := func(text string) (payload, error) { return findPayload(strings.NewReader(text), int64(len(text))) }
	var whole bytes.Buffer
	if err := Write(&whole, []byte("executable"+carries), []byte("model")); err != nil {
		t.Fatal(err)
	}
	text := whole.String()
	p, err := parse(text)
	if err != nil || text[p.start:p.start+p.length] != "model" || text[:p.end] != "executable"+carries[:len(carries)-1]+"1" {
		t.Errorf("payload of %q: %+v, %v", text, p, err)
	}
	signed := text + strings.Repeat("signature", 1000)
	if again, err := parse(signed); err != nil || again.start != p.start || again.length != p.length || again.end != p.end {
		t.Errorf("payload of a signed program: %+v, %v; want %+v", again, err, p)
	}
	bad := text[int64(len(text))-tailSize:] // only the tail, without the model that precedes it
	if _, err := parse(bad); err == nil {
		t.Errorf("a program without the model that it says it carries is accepted: %q", bad)
	}
}

// An exported program contains its own model and none of the built-in models.
func TestExportErasesBox(t *testing.T) {
	program := []byte("before")
	for _, game := range box.Games() {
		data, err := os.ReadFile(filepath.Join("..", "..", "games", "box", game+".safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		program = append(program, data...)
	}
	program = append(program, "after"...)
	var out bytes.Buffer
	if err := Write(&out, program, []byte("its own")); err != nil {
		t.Fatal(err)
	}
	want := append([]byte("before"), make([]byte, len(program)-len("beforeafter"))...)
	if want = append(want, "after"...); !bytes.HasPrefix(out.Bytes(), want) || !bytes.Contains(out.Bytes(), []byte("its own")) {
		t.Error("a program that is handed out holds more models than its own")
	}
}
