package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// A trainer prints its token only if it generated the token. The printed join command contains no
// secrets.
func TestJoinLineHasNoSecret(t *testing.T) {
	train := func(flags ...string) string {
		t.Helper()
		args := append([]string{"train", "tictactoe", "--run", filepath.Join(t.TempDir(), "run"), "--log-format", "screen"}, small...)
		r := dojo(t, "", append(args, flags...)...)
		if r.status != exitDone {
			t.Fatalf("train %q: status %d, %q", flags, r.status, r.stderr)
		}
		return r.stderr
	}
	if said := train("--listen", "0.0.0.0:0", "--insecure"); !strings.Contains(said, "workers need this token, in DOJO_TOKEN or in a --token-file: ") || strings.Contains(said, "--token ") {
		t.Errorf("with a random token it says\n%s", said)
	}
	for _, verb := range []string{"train", "worker"} {
		if help := done(t, "", verb, "--help"); !strings.Contains(help, `$env:DOJO_TOKEN="`) {
			t.Errorf("%s --help does not say how PowerShell sets the token: %s", verb, help)
		}
	}
	t.Setenv("DOJO_TOKEN", "xyzzy")
	if said := train("--listen", "127.0.0.1:0"); strings.Contains(said, "xyzzy") || !strings.Contains(said, "the trainer's token") {
		t.Errorf("with a token of the environment it says\n%s", said)
	}
}
