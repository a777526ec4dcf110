package codingame

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"dojo.example/model"
)

// hostile has texts that could break out of a comment.
var hostile = []string{
	"a\nint evil;", "a\r\nfunc init() { panic(0) }", "a\u2028b", "a\u202eb", "a\x1b[2J", "ends in \\", "ends in ??/", "ends in ???/", "ends in ??\\", `ends in \ `,
}

// All texts of a checkpoint become comment lines in the source, whatever they contain. They do not
// change the code of the program.
func TestTextsStayComments(t *testing.T) {
	c := small(t)
	for _, l := range []Language{CPP, Go} {
		b := bot(l, c)
		b.Provenance = []string{"harmless"}
		want, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range hostile {
			b.Provenance = []string{text}
			got, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}
			wantLines, gotLines := strings.Split(want.Source, "\n"), strings.Split(got.Source, "\n")
			if len(gotLines) != len(wantLines) {
				t.Errorf("%s: %q makes %d lines of %d", l, text, len(gotLines), len(wantLines))
				continue
			}
			for i, line := range gotLines {
				if line == wantLines[i] {
					continue
				}
				if !strings.HasPrefix(line, "// ") || strings.ContainsAny(line, "\\\r\x1b\u2028\u202e") || strings.Contains(line, "??/") {
					t.Errorf("%s: %q becomes the line %q", l, text, line)
				}
			}
		}
	}
}

// A checkpoint whose texts contain a control character can be neither written nor read.
func TestControlCharactersAreRefused(t *testing.T) {
	c := small(t)
	for _, field := range []*string{&c.Name, &c.Origin, &c.Parent, &c.ProgramVersion} {
		*field = "x#y"
		var file bytes.Buffer
		if err := c.Encode(&file); err != nil {
			t.Fatal(err)
		}
		for _, evil := range []string{`\n`, `\r`, `\u001b`, `\u2028`, `\u202e`, `\u0085`} {
			whole := file.Bytes()
			bad := bytes.ReplaceAll(whole, []byte("x#y"), []byte("x"+evil+"y"))
			// The header now has another length, so its checksum must be recomputed.
			bad[0] += byte(len(bad) - len(whole))
			const at = 8 + len(`{"__metadata__":{"sha256":"`)
			sum := sha256.Sum256(append(bytes.Clone(bad[:8]), bad[at+64:]...))
			copy(bad[at:], hex.EncodeToString(sum[:]))
			if _, err := model.Decode(bytes.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "control character") {
				t.Errorf("%s in a checkpoint: %v", evil, err)
			}
		}
		*field = "x\ny"
		if err := c.Encode(&file); err == nil {
			t.Error("a checkpoint with a line feed in a text is written")
		}
		*field = ""
	}
}
