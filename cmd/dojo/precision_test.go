package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A model in 8 bits is near itself in floats; one without ranges says why it
// cannot be compared.
func TestEvaluatePrecision(t *testing.T) {
	dir := trained(t)
	var d deviation
	if err := json.Unmarshal([]byte(done(t, "", "evaluate", dir, "--precision", "50", "--json")), &d); err != nil {
		t.Fatal(err)
	}
	if d.Positions < 50 || d.Divergence.Mean > 0.01 || d.Divergence.Mean <= 0 || d.Value.Max > 0.1 || d.SameBest < d.Positions/2 {
		t.Errorf("8 bits against floats: %+v", d)
	}
	if d.Divergence.Median > d.Divergence.P99 || d.Divergence.P99 > d.Divergence.Max {
		t.Errorf("the distribution is not one: %+v", d.Divergence)
	}
	if r := dojo(t, "", "evaluate", dir+"#float32", "--precision", "50"); r.status != exitFailed || !strings.Contains(r.stderr, "no ranges") {
		t.Errorf("without ranges: %+v", r)
	}
}
