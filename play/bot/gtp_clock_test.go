package bot

import (
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/search/think"
)

// The budget of a search follows from the clock: 84 % of the time that is left, divided by the number
// of moves. If there is no limit, or the session does not use the clock, it is the bot's own budget.
func TestGTPClock(t *testing.T) {
	const own = time.Duration(-1) // stands for the bot's own budget
	for _, c := range []struct {
		name           string
		settings, left []string // arguments of time_settings and, for black, of time_left
		spent          []time.Duration
		want           time.Duration
	}{
		{"no settings", nil, nil, nil, own},
		{"main time", []string{"100", "0", "0"}, nil, nil, 4200 * time.Millisecond},
		{"main time after a move", []string{"100", "0", "0"}, nil, []time.Duration{50 * time.Second}, 2100 * time.Millisecond},
		{"no main time left", []string{"100", "0", "0"}, nil, []time.Duration{200 * time.Second}, time.Millisecond},
		{"time_left", []string{"100", "0", "0"}, []string{"black", "20", "0"}, nil, 840 * time.Millisecond},
		{"time_left of the opponent", []string{"100", "0", "0"}, []string{"white", "20", "0"}, nil, 4200 * time.Millisecond},
		{"periods only", []string{"0", "10", "2"}, nil, nil, 4200 * time.Millisecond},
		{"last move of a period", []string{"0", "10", "2"}, nil, []time.Duration{2 * time.Second}, 6720 * time.Millisecond},
		{"second period", []string{"0", "10", "2"}, nil, []time.Duration{2 * time.Second, 2 * time.Second}, 4200 * time.Millisecond},
		{"main time before periods", []string{"100", "30", "3"}, nil, nil, 8400 * time.Millisecond},
		{"period after the main time", []string{"100", "30", "3"}, nil, []time.Duration{100 * time.Second}, 8400 * time.Millisecond},
		{"no limit", []string{"0", "10", "0"}, nil, nil, own},
		{"zeros", []string{"0", "0", "0"}, nil, nil, own},
	} {
		s := &gtpSession{budget: think.Budget{Visits: 7}, timed: true}
		if c.settings != nil {
			if err := s.timeSettings(c.settings); err != nil {
				t.Fatal(err)
			}
		}
		if c.left != nil {
			if err := s.timeLeft(c.left); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range c.spent {
			s.clocks[engine.First].spend(d)
		}
		want := think.Budget{Time: c.want}
		if c.want == own {
			want = s.budget
		}
		if got := s.budgetOf(engine.First); got != want {
			t.Errorf("%s: the budget is %+v, want %+v", c.name, got, want)
		}
		if s.timed = false; s.budgetOf(engine.First) != s.budget {
			t.Errorf("%s: the clock counts although the bot has its own budget", c.name)
		}
	}
}
