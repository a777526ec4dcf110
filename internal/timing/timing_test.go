package timing

import (
	"testing"
	"time"
)

// The first pauses are short and the last ones are long. Different workers have different pauses.
func TestPause(t *testing.T) {
	pauses := map[time.Duration]bool{}
	for range 20 {
		for i, most := range []time.Duration{1, 2, 4, 8, 15, 15, 15} {
			most *= time.Second
			pause := Pause(i + 1)
			if pause > most || pause < most*3/4 {
				t.Errorf("pause %d is %v, want at most %v, and no less than three quarters of that", i, pause, most)
			}
			pauses[pause] = true
		}
	}
	if len(pauses) < 100 {
		t.Errorf("of 140 pauses only %d differ", len(pauses))
	}
}
