package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"dojo.example/internal/memory"
)

func init() {
	// The role peak runs dojo and then prints the peak memory of its own process. The parent cannot
	// ask the operating system for that figure, because it would include the parent's memory.
	roles["peak"] = func() {
		status := execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		text, _ := os.ReadFile("/proc/self/status") // if this fails, the test reports the missing line
		_, peak, _ := strings.Cut(string(text), "VmHWM:")
		line, _, _ := strings.Cut(peak, "\n")
		fmt.Fprintln(os.Stderr, "VmHWM:"+line)
		os.Exit(status)
	}
}

// The process never uses more memory than --memory allows, even when the trees of all concurrent
// searches are full. The limit also covers growing trees that are being copied, and garbage that
// has not been collected yet.
func TestMemoryIsWhatTheProcessTakes(t *testing.T) {
	const limit = "320MiB"
	most, err := memory.ParseSize(limit)
	if err != nil {
		t.Fatal(err)
	}
	var queries strings.Builder
	for i := range 48 {
		budget := `"time_ms":3600000` // the search ends when its tree is full
		if i%4 == 0 {
			budget = `"simulations":1500`
		}
		fmt.Fprintf(&queries, `{"id":"%d","position":%q,%s,"top":1}`+"\n", i, "fWTRdFeIJYKgSCZOaMGNEQXcBLDHbVPUA 0:5:0:0/0/0/0/0/0/0/0/0 0:5:0:0/0/0/0/0/0/0/0/0 1 0 -", budget)
	}
	cmd := exec.Command(os.Args[0], "analyse", "box:patchwork", "--json", "--workers", "4", "--memory", limit)
	cmd.Env = append(os.Environ(), roleVariable+"=peak")
	cmd.Stdin = strings.NewReader(queries.String())
	var peak strings.Builder
	cmd.Stderr = &peak
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var kilobytes int64
	if _, err := fmt.Sscanf(peak.String(), "VmHWM: %d kB", &kilobytes); err != nil {
		t.Fatalf("%q: %v", peak.String(), err)
	}
	if full, all := strings.Count(string(out), "the tree is full"), strings.Count(string(out), `"visits":1500,`); full != 36 || all != 12 {
		t.Errorf("%d searches by time end with a full tree, want 36; %d others make all simulations, want 12:\n%.2000s", full, all, out)
	}
	if took := memory.Size(kilobytes << 10); took > most {
		t.Errorf("the process takes %v, more than %v", took, most)
	} else {
		t.Logf("the process takes %v of %v", took, most)
	}
}
