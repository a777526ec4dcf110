package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// When a message suggests a command, the command repeats the flags of this process in the user's
// order, but no secrets and no settings of the run.
func TestGivenFlags(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct{ args, want string }{
		{"--listen 0.0.0.0:4222 --insecure --token secret --verify 7%", "--listen 0.0.0.0:4222 --insecure --verify 7%"},
		{"--tls-key key.pem --tls-cert cert.pem --token-file token", "--tls-key key.pem --tls-cert cert.pem --token-file token"},
		{"--nats tls://me:secret@host:4222 --tls-ca ca.pem", "--nats tls://host:4222 --tls-ca ca.pem"},
		{"--weight 2.5", "--weight 2.5"},
		{"--nats tls://one,tls://two --nats-creds a.creds", "--nats tls://one,tls://two --nats-creds a.creds"},
		{"--nats-nkey a.nk", "--nats-nkey a.nk"},
		{"--stay --metrics 127.0.0.1:9464", "--stay --metrics 127.0.0.1:9464"},
		{"--stay=false", "--stay=false"},
		{"--serve", "--serve"},
		{"--serve=0.0.0.0:7000", "--serve=0.0.0.0:7000"},
		{"--serve-token-file token --base-path /dojo", "--serve-token-file token --base-path /dojo"},
		{"--host a.lan,b.lan --host c.lan", "--host a.lan --host b.lan --host c.lan"},
		{"--trusted-proxy 10.0.0.0/8", "--trusted-proxy 10.0.0.0/8"},
		{"--workers 3 --memory 4GiB", "--workers 3 --memory 4GiB"},
		{"--workers 3 --workers 0", "--workers 0"},
		{"--log-format json --log-level warn", "--log-format json --log-level warn"},
		{"--run x --set seed=7 --for 2h --from m --generations 5 --back-to 2", ""},
		{"--help", ""},
	} {
		cmd := trainCommand(&app{})
		cmd.InitDefaultHelpFlag()
		if err := cmd.ParseFlags(strings.Fields(c.args)); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		if got := strings.Join(givenFlags(cmd), " "); got != c.want {
			t.Errorf("%s is repeated as %q, want %q", c.args, got, c.want)
		}
		if err := trainCommand(&app{}).ParseFlags(strings.Fields(c.want)); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
		cmd.Flags().Visit(func(f *pflag.Flag) { seen[f.Name] = true })
	}
	trainCommand(&app{}).Flags().VisitAll(func(f *pflag.Flag) {
		if !seen[f.Name] {
			t.Errorf("no case has --%s", f.Name)
		}
	})
	for _, name := range processFlags {
		if !seen[name] {
			t.Errorf("dojo train has no flag --%s", name)
		}
	}
}

// The command that continues a run keeps the flags of the process, both after a stop and in the
// error about other settings.
func TestContinueHints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	own := []string{"--workers", "1", "--log-format", "screen", "--stay", "--metrics", "127.0.0.1:0", "--nats", "nats://127.0.0.1:1", "--token-file", "token"}
	local := own[:slices.Index(own, "--nats")]
	again := command(append([]string{"train", "--run", dir}, local...)...)
	r := dojo(t, "", append([]string{"train", "tictactoe", "--run", dir, "--set", "mcts.simulations=8", "--for", "1ms"}, local...)...)
	if want := "continue with: " + again + "\n"; r.status != exitDone || !strings.Contains(r.stderr, want) {
		t.Errorf("status %d, stderr %q, want %q", r.status, r.stderr, want)
	}
	again = command(append([]string{"train", "--run", dir}, own...)...)
	r = dojo(t, "", append([]string{"train", "tictactoe", "--run", dir}, own...)...)
	if want := "to continue that run: " + again + "\n"; r.status == exitDone || !strings.Contains(r.stderr, want) {
		t.Errorf("status %d, stderr %q, want %q", r.status, r.stderr, want)
	}
	r = dojo(t, "", "selfplay", "--run", dir, "--workers", "2", "--log-format", "screen")
	if want := "continue with: " + command("fit", "--run", dir, "--workers", "2", "--log-format", "screen") + "\n"; r.status != exitDone || !strings.Contains(r.stderr, want) {
		t.Errorf("status %d, stderr %q, want %q", r.status, r.stderr, want)
	}
}
