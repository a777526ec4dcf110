package licences

import (
	"strings"
	"testing"
)

// Portable names the authors of the code that runs in the browser. All also names the other
// modules.
func TestLicences(t *testing.T) {
	for _, who := range []string{"The dojo authors", "The Go Authors", "Sun Microsystems"} {
		if !strings.Contains(Portable, who) {
			t.Errorf("the licences for the browser do not name %s", who)
		}
	}
	for _, module := range []string{"gorgonia.org/gorgonia", "github.com/nats-io/nats-server/v2", "github.com/inconshreveable/mousetrap"} {
		if !strings.Contains(All(), module) {
			t.Errorf("the licences do not name %s", module)
		}
	}
}
