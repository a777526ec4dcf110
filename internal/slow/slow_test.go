package slow

import "testing"

// The message contains the command that runs the test. This works for tests in any package, and for
// subtests.
func TestMessage(t *testing.T) {
	for _, c := range []struct{ function, test, want string }{
		{"dojo.example/internal/run.TestLock", "TestLock", "left out: it waits; to run it: DOJO_SLOW=1 go test -run '^TestLock$' dojo.example/internal/run"},
		{"dojo.example/data/rundir_test.TestLock.func1", "TestLock/twice", "left out: it waits; to run it: DOJO_SLOW=1 go test -run '^TestLock$/^twice$' dojo.example/data/rundir"},
	} {
		if got := message(c.function, c.test, "waits"); got != c.want {
			t.Errorf("%s says %q, want %q", c.function, got, c.want)
		}
	}
}

// skipper is a testing.TB that records whether the test was skipped.
type skipper struct {
	testing.TB
	skipped bool
}

func (s *skipper) Skip(...any) { s.skipped = true }

// The environment variable DOJO_SLOW decides whether a test is skipped.
func TestEnvironment(t *testing.T) {
	for value, want := range map[string]bool{"": true, "0": true, "1": false} {
		t.Setenv("DOJO_SLOW", value)
		s := skipper{TB: t}
		if Test(&s, "waits"); s.skipped != want {
			t.Errorf("with DOJO_SLOW=%s the test is skipped: %v, want %v", value, s.skipped, want)
		}
	}
}
