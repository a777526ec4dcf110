package console

import (
	"testing"
	"time"
)

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 3*time.Hour + 5*time.Minute + 9*time.Second: "3h05m"} {
		if got := Brief(d); got != want {
			t.Errorf("Brief(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for x, want := range map[float64]string{7: "7", 999: "999", 1000: "1,000", 37123456.4: "37,123,456"} {
		if got := Grouped(x); got != want {
			t.Errorf("Grouped(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestEnding(t *testing.T) {
	for text, want := range map[string]string{"mcts:10": "mcts:10", "runs/quick": "runs/quick", "runs/quicker": "…s/quicker",
		"a/b/models/000012.safetensors:64": "…000012:64", "a/models/000012.safetensors": "a/000012"} {
		if got := Ending(text, 10); got != want {
			t.Errorf("of %s the end is %s, want %s", text, got, want)
		}
	}
}
