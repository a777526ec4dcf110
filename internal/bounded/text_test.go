package bounded

import (
	"strings"
	"testing"
)

// Text rejects characters that could move the cursor, end a comment or hide the characters after
// them. Its error is one line and contains no such characters.
func TestText(t *testing.T) {
	for _, good := range []string{"", "box-1", "Ô ăn quan", "naïve \\ path", "日本", "a\u00a0b", "👩‍💻", "\u202f"} {
		if err := Text(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"\n", "a\rb", "\t", "\x00", "\x1b[2J", "\x7f", "\u0085", "\u009b2J", "\u2028", "\u2029", "a\u202eb", "\u200f", "\u2066", "\u061c", "\xff", strings.Repeat("x", 200) + "\x1b"} {
		err := Text(bad)
		if err == nil {
			t.Errorf("%q is accepted", bad)
		} else if text := err.Error(); Visible(text) != text || len(text) > 300 {
			t.Errorf("%q is named in %q", bad, text)
		}
	}
}

// Unmarshal checks the strings in a value at any depth.
func TestUnmarshal(t *testing.T) {
	type inner struct {
		Text  string `json:"text"`
		Lines string `json:"lines" text:"lines"`
	}
	var v struct {
		inner
		Next  *inner         `json:"next"`
		Any   any            `json:"any"`
		List  []inner        `json:"list"`
		Two   [2]string      `json:"two"`
		Map   map[string]any `json:"map"`
		Bytes []byte         `json:"bytes"`
	}
	for _, good := range []string{`{"lines":"a\nb","bytes":"AAEC","list":[{"text":"x"}],"any":3}`, `null`} {
		if err := Unmarshal([]byte(good), &v); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		`{"text":"a\nb"}`, `{"lines":"a\u001bb"}`, `{"next":{"text":"\u202e"}}`, `{"any":["\u0007"]}`, `{"list":[{},{"text":"\u2028"}]}`,
		`{"two":["","\u009b"]}`, `{"map":{"\u001b":1}}`, `{"map":{"a":{"b":"\u001b"}}}`,
	} {
		if err := Unmarshal([]byte(bad), &v); err == nil {
			t.Errorf("%s is accepted", bad)
		}
		clear(v.Map)
	}
}

func TestVisible(t *testing.T) {
	if got, want := Visible("a\x1b[2J\nÔ\u202e\u00a0\\"), `a\x1b[2J\nÔ\u202e\u00a0\`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
