package logs

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// When a message has reached its limit, other messages are still logged. In the next period, the
// message is logged again.
func TestLimit(t *testing.T) {
	var text bytes.Buffer
	h := Limit(slog.NewTextHandler(&text, nil))
	begun := time.Now()
	say := func(message string, after time.Duration) {
		r := slog.NewRecord(begun.Add(after), slog.LevelWarn, message, 0)
		if err := h.WithAttrs([]slog.Attr{slog.Int("after", int(after))}).Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60000 {
		say("refused", time.Duration(i))
	}
	say("joined", time.Second)
	if lines := strings.Count(text.String(), "\n"); lines != maxLines+1 || !strings.Contains(text.String(), "msg=joined") || strings.Count(text.String(), "left out for 10m0s") != 1 {
		t.Errorf("60,000 records of one message and one of another are %d lines, which end with\n%s", lines, text.String()[max(0, text.Len()-300):])
	}
	text.Reset()
	say("refused", period)
	if strings.Count(text.String(), "\n") != 1 {
		t.Error("the message never comes again")
	}
}
